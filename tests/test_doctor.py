"""The doctor: each finding from what a kernel says about itself, with a remedy wherever something is missing."""

import pytest

from hapticd import doctor


@pytest.fixture
def machine(tmp_path):
    def write(path, text):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)

    write("proc/version", "Linux version 6.1.0-rt PREEMPT_RT")
    write("proc/cpuinfo", "flags : fpu sse2")
    write("proc/sys/kernel/sched_rt_runtime_us", "950000")
    write("proc/sys/kernel/sched_rt_period_us", "1000000")
    write("sys/devices/system/cpu/isolated", "3")
    write("sys/devices/virtual/workqueue/cpumask", "8")
    write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance")
    write("sys/bus/usb-serial/devices/ttyUSB0/latency_timer", "1")
    return tmp_path, write


def grades(folder):
    found = doctor.findings(proc=folder / "proc", sys=folder / "sys")
    return {one.what: one for one in found}


def test_well_kept_machine(machine):
    folder, _ = machine
    found = grades(folder)
    for what in (
        "kernel",
        "processor frequency",
        "core isolation",
        "machine",
        "serial lines",
        "FTDI latency timer of ttyUSB0",
    ):
        assert found[what].grade == "ok" and not found[what].remedy, what


@pytest.mark.parametrize(
    "path, text, what, grade, remedy",
    [
        ("proc/version", "Linux version 6.1.0 PREEMPT_DYNAMIC", "kernel", "weak", "preempt=full"),
        ("proc/version", "Linux version 6.1.0 PREEMPT", "kernel", "weak", "linux-image-rt"),
        ("proc/cpuinfo", "flags : sse2 hypervisor", "machine", "weak", "real hardware"),
        ("sys/devices/virtual/workqueue/cpumask", "0000,0000000f", "serial lines", "weak", "servo's core"),
        ("sys/devices/system/cpu/isolated", "", "core isolation", "weak", "isolcpus"),
        (
            "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
            "powersave",
            "processor frequency",
            "weak",
            "cpupower",
        ),
        ("sys/bus/usb-serial/devices/ttyUSB0/latency_timer", "16", "FTDI latency timer of ttyUSB0", "bad", "echo 1 >"),
    ],
)
def test_each_shortfall_has_its_remedy(machine, path, text, what, grade, remedy):
    folder, write = machine
    write(path, text)
    found = grades(folder)[what]
    assert found.grade == grade and remedy in found.remedy


def test_limits_without_capabilities(monkeypatch):
    monkeypatch.setattr(doctor, "_capable", lambda number, proc=None: False)
    monkeypatch.setattr(
        doctor.resource, "getrlimit", lambda which: (0, 65536 if which == doctor.resource.RLIMIT_MEMLOCK else 0)
    )
    assert doctor.real_time_priority(81).grade == "bad" and "limits.conf" in doctor.real_time_priority(81).remedy
    assert doctor.locked_memory().grade == "bad" and "64 KiB" in doctor.locked_memory().says


def test_unreadable_device_node_names_the_group(tmp_path, monkeypatch):
    (tmp_path / "hidraw0").touch()
    monkeypatch.setattr(doctor.os, "access", lambda path, mode: False)
    (found,) = doctor.device_nodes(tmp_path)
    assert found.grade == "bad" and "group input" in found.remedy


def test_cores_may_be_kept_awake_only_where_the_file_may_be_opened(tmp_path):
    assert doctor.sleep_states(tmp_path).grade == "weak" and "rules" in doctor.sleep_states(tmp_path).remedy
    (tmp_path / "cpu_dma_latency").write_text("")
    assert doctor.sleep_states(tmp_path).grade == "ok"
