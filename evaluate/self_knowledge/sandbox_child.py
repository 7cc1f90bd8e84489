"""The inside of the sandbox: locks this process down, says so, and becomes the program. Standard library alone.

Started by ``sandbox.run_python`` with its settings as JSON in the first argument and the program on stdin. It writes
``ready`` or ``refused: REASON`` on the status pipe; after a refusal nothing of the program was run.
"""

import ctypes
import json
import os
import resource
import signal
import sys
from typing import Any

CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = (
    0x00020000,
    0x08000000,
    0x10000000,
    0x20000000,
    0x40000000,
)
MS_NOSUID, MS_NODEV, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 1 << 12, 1 << 14, 1 << 18
PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS = 1, 38
LANDLOCK_CREATE_RULESET, LANDLOCK_ADD_RULE, LANDLOCK_RESTRICT_SELF = 444, 445, 446
LANDLOCK_RULE_PATH_BENEATH = 1
# Access rights of Landlock by the version that brought them (landlock(7)).
FILE_RIGHTS = {1: (1 << 13) - 1, 2: 1 << 13, 3: 1 << 14, 5: 1 << 15}
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
TCP_RIGHTS, SCOPES = 0b11, 0b11
FIRST_UID = 2_000_000_000
READABLE = ("/usr/lib", "/usr/lib64", "/usr/local/lib", "/lib", "/lib64", "/etc/ld.so.cache", "/usr/share/zoneinfo")

libc = ctypes.CDLL(None, use_errno=True)


class RefusedError(Exception):
    """This machine cannot lock a program down; the message says what is missing."""


class PathBeneath(ctypes.Structure):
    """``struct landlock_path_beneath_attr``."""

    _pack_ = 1
    _fields_ = (("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32))


def check(result: int, what: str) -> int:
    """Turn a failed system call into a refusal."""
    if result < 0:
        raise RefusedError(f"{what}: {os.strerror(ctypes.get_errno())}")
    return result


def enter_namespaces() -> None:
    """Leave the network, the other processes, the mounts and the shared memory of the machine."""
    namespaces = CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWPID | CLONE_NEWNET
    uid, gid = os.getuid(), os.getgid()
    if uid == 0:
        check(libc.unshare(namespaces), "no namespaces of its own")
        return
    check(libc.unshare(namespaces | CLONE_NEWUSER), "no namespaces of its own")
    for name, content in (("setgroups", "deny"), ("gid_map", f"{gid} {gid} 1"), ("uid_map", f"{uid} {uid} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:  # noqa: PTH123
            file.write(content)


def mount_folder(folder: str, size_in_bytes: int, uid: int) -> None:
    """Lay a file system in memory over the folder, seen by this process alone."""
    gid = uid if os.getuid() == 0 else os.getgid()
    os.makedirs(folder, exist_ok=True)  # noqa: PTH103
    mount("tmpfs", folder, MS_NOSUID | MS_NODEV, "tmpfs", f"size={size_in_bytes},mode=0700,uid={uid},gid={gid}")


def open_the_way(path: str) -> None:
    """Where an interpreter lies in root's closed home, lay open folders over it that lead to the interpreter alone."""
    ancestors = [path[:place] for place, character in enumerate(path) if character == "/" and place]
    closed = next((folder for folder in ancestors if not os.stat(folder).st_mode & 1), None)  # noqa: PTH116
    if closed is None or os.getuid() != 0:
        return
    descriptor = os.open(path, os.O_PATH)
    mount("tmpfs", closed, MS_NOSUID | MS_NODEV, "tmpfs", "size=1m,mode=0755")
    os.makedirs(path)  # noqa: PTH103
    mount(f"/proc/self/fd/{descriptor}", path, MS_BIND | MS_REC)
    os.close(descriptor)


def mount(source: str, target: str, flags: int, kind: str | None = None, options: str | None = None) -> None:
    """Mount, or refuse."""
    arguments = [text and text.encode() for text in (source, target, kind, options)]
    mounted = libc.mount(arguments[0], arguments[1], arguments[2], ctypes.c_ulong(flags), arguments[3])
    check(mounted, f"{target} cannot be mounted")


def drop_root(uid: int) -> None:
    """Become a user that nobody else is; limits do not hold root."""
    if os.getuid() == 0:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    if 0 in (*os.getresuid(), *os.getresgid()):
        raise RefusedError("root cannot be dropped")


def set_limits(settings: dict[str, Any]) -> None:
    """Limit memory, time, files and processes."""
    seconds = int(settings["seconds"]) + 1
    for name, limit in (
        ("RLIMIT_AS", settings["memory_in_bytes"]),
        ("RLIMIT_CPU", seconds),
        ("RLIMIT_FSIZE", settings["output_in_bytes"]),
        ("RLIMIT_NOFILE", 64),
        ("RLIMIT_CORE", 0),
        ("RLIMIT_NPROC", 1),
    ):
        resource.setrlimit(getattr(resource, name), (limit, limit))


def restrict_files(settings: dict[str, Any]) -> None:
    """Landlock: what may be read, and the one folder that may be written."""
    check(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "privileges can be won back")
    version = check(libc.syscall(LANDLOCK_CREATE_RULESET, None, 0, 1), "no Landlock")
    rights = sum(right for since, right in FILE_RIGHTS.items() if since <= version)
    fields = [rights]
    fields += [TCP_RIGHTS] if version >= 4 else []
    fields += [SCOPES] if version >= 6 else []
    ruleset = (ctypes.c_uint64 * len(fields))(*fields)
    made = libc.syscall(LANDLOCK_CREATE_RULESET, ctypes.byref(ruleset), ctypes.sizeof(ruleset), 0)
    descriptor = check(made, "no Landlock rules")
    for path in {*READABLE, settings["python"], os.path.realpath(settings["prefix"])}:
        allow(descriptor, path, EXECUTE | READ_FILE | READ_DIR)
    allow(descriptor, "/dev/null", READ_FILE | WRITE_FILE)
    allow(descriptor, "/dev/urandom", READ_FILE)
    allow(descriptor, settings["folder"], rights & ~EXECUTE)
    check(libc.syscall(LANDLOCK_RESTRICT_SELF, descriptor, 0), "Landlock does not hold")
    os.close(descriptor)


def allow(ruleset: int, path: str, rights: int) -> None:
    """Allow rights at a path and below; what is not there is passed over."""
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    if not os.path.isdir(path):  # noqa: PTH112
        rights &= EXECUTE | WRITE_FILE | READ_FILE
    rule = PathBeneath(rights, descriptor)
    added = libc.syscall(LANDLOCK_ADD_RULE, ruleset, LANDLOCK_RULE_PATH_BENEATH, ctypes.byref(rule), 0)
    check(added, f"no Landlock rule for {path}")
    os.close(descriptor)


def become(settings: dict[str, Any], code: bytes, uid: int) -> None:
    """As the first process of the namespace: lock down, report, and become the program."""
    status = settings["status"]
    try:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        mount("none", "/", MS_REC | MS_PRIVATE)
        open_the_way(os.path.realpath(settings["prefix"]))
        mount_folder(settings["folder"], settings["folder_in_bytes"], uid)
        drop_root(uid)
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)  # changing the user took it away
        os.chdir(settings["folder"])
        with open("program.py", "wb") as file:  # noqa: PTH123
            file.write(code)
        null = os.open("/dev/null", os.O_RDONLY)
        os.dup2(null, 0)
        if not os.access(settings["python"], os.X_OK):
            raise RefusedError(f"{settings['python']} cannot be run by another user than root")
        restrict_files(settings)
        set_limits(settings)
        os.set_inheritable(status, False)
        os.write(status, b"ready")
    except (RefusedError, OSError, ValueError) as error:
        os.write(status, f"refused: {error}".encode())
        os._exit(1)
    os.execve(settings["python"], [settings["python"], "-s", "-S", "-P", "-B", "program.py"], dict(os.environ))  # noqa: S606


def main() -> None:
    """Enter the namespaces, start their first process, and end as it ends."""
    settings = json.loads(sys.argv[1])
    code = sys.stdin.buffer.read()
    uid = FIRST_UID + os.getpid() if os.getuid() == 0 else os.getuid()
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    try:
        enter_namespaces()
    except (RefusedError, OSError) as error:
        os.write(settings["status"], f"refused: {error}".encode())
        sys.exit(1)
    child = os.fork()
    if child == 0:
        become(settings, code, uid)
    os.close(settings["status"])
    _, status = os.waitpid(child, 0)
    exit_code = os.waitstatus_to_exitcode(status)
    os._exit(exit_code if exit_code >= 0 else 128 - exit_code)


if __name__ == "__main__":
    main()
