/* ODE behind the binary face of native.py:
 *
 *   world_new(dt, gravity[3], mu)                         an empty world
 *   world_box(world, size[3], mass, pose[7], twist[6])    mass 0: stands still; pose = position, q_xyzw
 *   world_step(world, n)                                  n steps
 *   world_read(world, rows)                               13 numbers per moving box: pose, twist
 *   world_push(world, rows)                               6 numbers per moving box: force, torque, in every step
 *   world_free(world)
 *
 * Quick step with its default 20 iterations; friction pyramid in proportion to the normal force; up to 8 points a pair.
 */
#include <ode/ode.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 8 };

typedef struct {
    dWorldID world;
    dSpaceID space;
    dJointGroupID joints;
    dBodyID *body;
    double *push;
    int count, pushed;
    double dt, mu;
} World;

World *world_new(double dt, const double *gravity, double mu) {
    static int initialised = 0;
    if (!initialised) {
        dInitODE2(0);
        initialised = 1;
    }
    World *w = calloc(1, sizeof *w);
    w->world = dWorldCreate();
    w->space = dHashSpaceCreate(0);
    w->joints = dJointGroupCreate(0);
    w->dt = dt;
    w->mu = mu;
    dWorldSetGravity(w->world, gravity[0], gravity[1], gravity[2]);
    dWorldSetAutoDisableFlag(w->world, 0);
    return w;
}

void world_box(World *w, const double *size, double mass, const double *pose, const double *twist) {
    const dQuaternion q = {pose[6], pose[3], pose[4], pose[5]};
    dGeomID geom = dCreateBox(w->space, size[0], size[1], size[2]);
    if (mass > 0) {
        dBodyID body = dBodyCreate(w->world);
        dMass m;
        dMassSetBoxTotal(&m, mass, size[0], size[1], size[2]);
        dBodySetMass(body, &m);
        dBodySetLinearVel(body, twist[0], twist[1], twist[2]);
        dBodySetAngularVel(body, twist[3], twist[4], twist[5]);
        dGeomSetBody(geom, body);
        w->count += 1;
        w->body = realloc(w->body, w->count * sizeof *w->body);
        w->push = realloc(w->push, w->count * 6 * sizeof *w->push);
        w->body[w->count - 1] = body;
    }
    dGeomSetPosition(geom, pose[0], pose[1], pose[2]);
    dGeomSetQuaternion(geom, q);
}

static void touch(void *data, dGeomID a, dGeomID b) {
    World *w = data;
    dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
    if (!body_a && !body_b) return;
    dContact contact[POINTS];
    int n = dCollide(a, b, POINTS, &contact[0].geom, sizeof(dContact));
    for (int i = 0; i < n; i++) {
        contact[i].surface.mode = dContactApprox1;
        contact[i].surface.mu = w->mu;
        dJointAttach(dJointCreateContact(w->world, w->joints, &contact[i]), body_a, body_b);
    }
}

void world_step(World *w, int n) {
    for (int k = 0; k < n; k++) {
        for (int i = 0; w->pushed && i < w->count; i++) {
            const double *f = w->push + 6 * i;
            dBodyAddForce(w->body[i], f[0], f[1], f[2]);
            dBodyAddTorque(w->body[i], f[3], f[4], f[5]);
        }
        dSpaceCollide(w->space, w, touch);
        dWorldQuickStep(w->world, w->dt);
        dJointGroupEmpty(w->joints);
    }
}

void world_read(World *w, double *rows) {
    for (int i = 0; i < w->count; i++, rows += 13) {
        const dReal *p = dBodyGetPosition(w->body[i]), *q = dBodyGetQuaternion(w->body[i]);
        const dReal *v = dBodyGetLinearVel(w->body[i]), *omega = dBodyGetAngularVel(w->body[i]);
        const double row[13] = {p[0], p[1], p[2], q[1], q[2], q[3], q[0], v[0], v[1], v[2], omega[0], omega[1], omega[2]};
        memcpy(rows, row, sizeof row);
    }
}

void world_push(World *w, const double *rows) {
    memcpy(w->push, rows, w->count * 6 * sizeof *rows);
    w->pushed = 1;
}

void world_free(World *w) {
    dJointGroupDestroy(w->joints);
    dSpaceDestroy(w->space);
    dWorldDestroy(w->world);
    free(w->body);
    free(w->push);
    free(w);
}
