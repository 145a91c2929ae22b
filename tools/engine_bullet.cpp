// Bullet behind the binary face of native.py (engine_ode.c draws it): sequential impulses, 10 iterations, its defaults.
#include <btBulletDynamicsCommon.h>

#include <cstring>
#include <memory>
#include <vector>

namespace {
btVector3 vector(const double *x) { return btVector3(x[0], x[1], x[2]); }

struct World {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    std::vector<btRigidBody *> moving;
    std::vector<double> push;
    double dt = 0, mu = 0;

    ~World() {
        for (auto &body : bodies) world.removeRigidBody(body.get());
    }
};
}  // namespace

extern "C" {
World *world_new(double dt, const double *gravity, double mu) {
    World *w = new World;
    w->dt = dt;
    w->mu = mu;
    w->world.setGravity(vector(gravity));
    return w;
}

void world_box(World *w, const double *size, double mass, const double *pose, const double *twist) {
    w->shapes.emplace_back(new btBoxShape(vector(size) * btScalar(0.5)));
    btVector3 inertia(0, 0, 0);
    if (mass > 0) w->shapes.back()->calculateLocalInertia(mass, inertia);
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, w->shapes.back().get(), inertia);
    info.m_startWorldTransform = btTransform(btQuaternion(pose[3], pose[4], pose[5], pose[6]), vector(pose));
    info.m_friction = btSqrt(w->mu);  // it multiplies the coefficients of the two bodies
    w->bodies.emplace_back(new btRigidBody(info));
    btRigidBody *body = w->bodies.back().get();
    if (mass > 0) {
        body->setLinearVelocity(vector(twist));
        body->setAngularVelocity(vector(twist + 3));
        body->setActivationState(DISABLE_DEACTIVATION);
        w->moving.push_back(body);
    }
    w->world.addRigidBody(body);
}

void world_step(World *w, int n) {
    for (int k = 0; k < n; k++) {
        for (size_t i = 0; i < w->push.size() / 6; i++) {
            w->moving[i]->applyCentralForce(vector(&w->push[6 * i]));
            w->moving[i]->applyTorque(vector(&w->push[6 * i + 3]));
        }
        w->world.stepSimulation(w->dt, 0);  // no substeps: exactly one step of dt
    }
}

void world_read(World *w, double *rows) {
    for (btRigidBody *body : w->moving) {
        const btVector3 p = body->getCenterOfMassPosition();
        const btVector3 v = body->getLinearVelocity(), omega = body->getAngularVelocity();
        const btQuaternion q = body->getOrientation();
        const double row[13] = {p.x(), p.y(), p.z(), q.x(), q.y(), q.z(), q.w(),
                                v.x(), v.y(), v.z(), omega.x(), omega.y(), omega.z()};
        std::memcpy(rows, row, sizeof row);
        rows += 13;
    }
}

void world_push(World *w, const double *rows) { w->push.assign(rows, rows + 6 * w->moving.size()); }

void world_free(World *w) { delete w; }
}
