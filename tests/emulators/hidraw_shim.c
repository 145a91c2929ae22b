/* Turns open() of one path into a connection to an emulated HID device, and hidraw's ioctls into messages to it.
 *
 * HIDRAW_SHIM_PATH is the path that stands for the device, HIDRAW_SHIM_SOCKET the emulator's SEQPACKET socket. Reads,
 * writes and poll() go to the socket as they are: one message is one report, as with hidraw. Control messages use a
 * connection of their own: 'D' descriptor, 'S' set feature, 'G' get feature, 'I' get input; the answer is the bytes, or
 * nothing for an error. Built at test time: cc -shared -fPIC -o shim.so hidraw_shim.c -ldl
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/hidraw.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static unsigned char ours[1024]; /* descriptors that stand for the device */

static int connect_as(char kind)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const char *path = getenv("HIDRAW_SHIM_SOCKET");
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (!path || fd < 0)
		return -1;
	strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) || send(fd, &kind, 1, MSG_NOSIGNAL) != 1) {
		close(fd);
		errno = ENODEV;
		return -1;
	}
	return fd;
}

static int open_device(const char *path, int flags)
{
	const char *wanted = getenv("HIDRAW_SHIM_PATH");
	int fd;

	if (!wanted || !path || strcmp(path, wanted))
		return -2;
	fd = connect_as('R');
	if (fd >= 0 && fd < (int)sizeof(ours)) {
		ours[fd] = 1;
		if (flags & O_NONBLOCK)
			fcntl(fd, F_SETFL, O_NONBLOCK);
	}
	return fd;
}

#define OPEN(name)                                                                 \
	int name(const char *path, int flags, ...)                                 \
	{                                                                          \
		static int (*real)(const char *, int, ...);                        \
		va_list rest;                                                      \
		mode_t mode;                                                       \
		int fd = open_device(path, flags);                                 \
		if (fd != -2)                                                      \
			return fd;                                                 \
		if (!real)                                                         \
			real = dlsym(RTLD_NEXT, #name);                            \
		va_start(rest, flags);                                             \
		mode = va_arg(rest, mode_t);                                       \
		va_end(rest);                                                      \
		return real(path, flags, mode);                                    \
	}
OPEN(open)
OPEN(open64)

int close(int fd)
{
	static int (*real)(int);

	if (!real)
		real = dlsym(RTLD_NEXT, "close");
	if (fd >= 0 && fd < (int)sizeof(ours))
		ours[fd] = 0;
	return real(fd);
}

static int ask(char kind, const void *data, int size, void *answer, int room)
{
	int fd = connect_as('C'), got;
	char message[4097];

	if (fd < 0)
		return -1;
	message[0] = kind;
	memcpy(message + 1, data, size);
	if (send(fd, message, size + 1, MSG_NOSIGNAL) < 0 || (got = recv(fd, message, sizeof(message), 0)) <= 0) {
		close(fd);
		errno = EIO;
		return -1;
	}
	close(fd);
	got = got - 1 < room ? got - 1 : room; /* the first byte says that there is an answer */
	if (answer)
		memcpy(answer, message + 1, got);
	return got;
}

int ioctl(int fd, unsigned long request, ...)
{
	static int (*real)(int, unsigned long, ...);
	struct hidraw_report_descriptor *descriptor;
	struct hidraw_devinfo *info;
	va_list rest;
	void *data;
	int size = _IOC_SIZE(request), got;

	va_start(rest, request);
	data = va_arg(rest, void *);
	va_end(rest);
	if (fd < 0 || fd >= (int)sizeof(ours) || !ours[fd] || _IOC_TYPE(request) != 'H') {
		if (!real)
			real = dlsym(RTLD_NEXT, "ioctl");
		return real(fd, request, data);
	}
	switch (_IOC_NR(request)) {
	case 1: { /* size of the descriptor */
		char room[4096];
		got = ask('D', "", 0, room, sizeof(room));
		if (got >= 0)
			*(int *)data = got;
		return got < 0 ? -1 : 0;
	}
	case 2:
		descriptor = data;
		got = ask('D', "", 0, descriptor->value, descriptor->size);
		return got < 0 ? -1 : 0;
	case 3:
		info = data;
		info->bustype = 3;
		info->vendor = 0x1209;
		info->product = 0x0001;
		return 0;
	case 4:
	case 5:
	case 8:
		strncpy(data, "emulated", size);
		return strlen("emulated") + 1;
	case 6:
		return ask('S', data, size, NULL, 0) < 0 ? -1 : size;
	case 7:
		return ask('G', data, 1, data, size);
	case 10:
		return ask('I', data, 1, data, size);
	}
	errno = EINVAL;
	return -1;
}
