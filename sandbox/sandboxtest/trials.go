package sandboxtest

import (
	"bytes"
	"strings"
	"time"

	"github.com/quintain-rl/quintain/sandbox"
)

// results are about what comes back.
var results = []trial{
	{name: "input comes back", args: []string{"echo"}, out: "a\x00\xffdone\n", change: func(j *sandbox.Job) { j.Stdin = []byte("a\x00\xff") }},
	{name: "much input comes back", args: []string{"echo"}, change: func(j *sandbox.Job) {
		j.Stdin = bytes.Repeat([]byte("0123456789abcdef"), 1<<15)
	}, out: strings.Repeat("0123456789abcdef", 1<<15) + "done\n"},
	{name: "input need not be read", args: []string{"deaf"}, out: "done\n", change: func(j *sandbox.Job) { j.Stdin = make([]byte, 1<<20) }},
	{name: "half a letter, NUL", args: []string{"bytes"}, out: "\xff\xc3\x00\xe2\x82done\n"},
	{name: "an exit status", args: []string{"exit", "7"}, code: 7},
	{name: "a file of a job", args: []string{"read", "a/b"}, out: "done\n", change: func(j *sandbox.Job) { j.Files["a/b"] = []byte("x") }},
	{name: "it writes its files", args: []string{"write", "a/b"}, out: "done\n", change: func(j *sandbox.Job) { j.Files["a/b"] = []byte("x") }},
	{name: "it makes files", args: []string{"write", "c"}, out: "done\n", change: func(j *sandbox.Job) { j.Fetch = []string{"c", "d"} },
		also: func(r *rig, got sandbox.Result) {
			if len(got.Fetched) != 1 || string(got.Fetched["c"]) != "x" {
				r.Errorf("fetched %q", got.Fetched)
			}
		}},
	{name: "only plain files are fetched", args: []string{"results", "/etc/passwd"}, out: "done\n",
		change: func(j *sandbox.Job) { j.Fetch = []string{"plain", "symbolic", "inner", "folder", "none"} },
		also: func(r *rig, got sandbox.Result) {
			if len(got.Fetched) != 1 || string(got.Fetched["plain"]) != "ours" {
				r.Errorf("fetched %q", got.Fetched)
			}
		}},
	{name: "a program of the machine", out: "hi\n", change: func(j *sandbox.Job) { j.Argv = []string{"sh", "-c", "echo hi"} }},
	{name: "the environment is clean", args: []string{"environ"}, also: func(r *rig, got sandbox.Result) {
		for _, word := range strings.Fields(strings.Trim(strings.SplitN(string(got.Stdout), "\n", 2)[0], "[]")) {
			name, _, _ := strings.Cut(word, "=")
			if !strings.Contains(" PATH HOME TMPDIR LANG LC_ALL TZ PYTHONHASHSEED PYTHONDONTWRITEBYTECODE PWD ", " "+name+" ") {
				r.Errorf("the program sees %s", word)
			}
		}
	}, end: sandbox.Exited, out: anything},

	{name: "a name with ..", end: sandbox.Refused, change: func(j *sandbox.Job) { j.Files["../x"] = nil }},
	{name: "an absolute name", end: sandbox.Refused, change: func(j *sandbox.Job) { j.Files["/x"] = nil }},
	{name: "to fetch a name with ..", end: sandbox.Refused, change: func(j *sandbox.Job) { j.Fetch = []string{"a/../../x"} }},
	{name: "no program", end: sandbox.Refused, change: func(j *sandbox.Job) { j.Argv = nil }},
	{name: "a program that the job lacks", end: sandbox.Refused, change: func(j *sandbox.Job) { j.Argv = []string{"./none"} }},
	{name: "a program that is none", end: sandbox.Refused, change: func(j *sandbox.Job) {
		j.Files["text"] = []byte("\x7fno program")
		j.Argv = []string{"./text"}
	}},
}

// anything stands for any output.
const anything = "*"

// limits are about programs that want too much.
var limits = []trial{
	{name: "an endless loop", args: []string{"spin"}, end: sandbox.CPULimit, change: func(j *sandbox.Job) { j.Limits.CPU = 300 * time.Millisecond },
		also: func(r *rig, got sandbox.Result) {
			if got.CPU < 200*time.Millisecond {
				r.Errorf("ended after %v on the processor", got.CPU)
			}
		}},
	{name: "a sleeper", args: []string{"idle"}, end: sandbox.WallLimit, change: func(j *sandbox.Job) { j.Limits.Wall = 300 * time.Millisecond }},
	{name: "memory", args: []string{"keep", "350"}, end: sandbox.MemoryLimit, change: func(j *sandbox.Job) {
		j.Limits.Memory, j.Limits.CPU = 250<<20, 10*time.Second
	}},
	{name: "output", args: []string{"flood", "out"}, end: sandbox.OutputLimit, also: func(r *rig, got sandbox.Result) {
		if len(got.Stdout) != 1<<20 {
			r.Errorf("%d bytes of output", len(got.Stdout))
		}
	}},
	{name: "errors", args: []string{"flood", "err"}, end: sandbox.OutputLimit, change: func(j *sandbox.Job) { j.Limits.Output = 1000 },
		also: func(r *rig, got sandbox.Result) {
			if len(got.Stderr) != 1000 {
				r.Errorf("%d bytes of errors", len(got.Stderr))
			}
		}},
	{name: "a large file", args: []string{"big", "20"}, out: "refused", change: func(j *sandbox.Job) { j.Limits.FileSize = 8 << 20 }},
	{name: "a sparse file", args: []string{"sparse"}, out: "refused"},
	{name: "a full disk", args: []string{"fill", "90"}, end: sandbox.DiskLimit, change: func(j *sandbox.Job) { j.Limits.Disk = 20 << 20 }},
	{name: "many files", args: []string{"many", "3000"}, end: sandbox.DiskLimit},
	{name: "a deep folder without permissions", args: []string{"deep"}, out: anything},
}

// attacks are the attacks of a program that may have one process. By name, each with its
// argument.
func attacks(r *rig) (all []trial) {
	refused := []string{
		"read /etc/shadow", "read /etc/passwd", "read /proc/1/environ", "read /proc/self/mem", "list /root", "list /proc", "list /tmp",
		"write /tmp/quintain-evil", "write /dev/shm/quintain-evil", "append /etc/passwd", "cut /etc/hostname", "remove ../lock",
		"link /etc/passwd", "link ../lock", "start x", "chmod " + r.dir, "chown " + r.dir, "touch " + r.dir,
	}
	refused = append(append(refused, r.targets...), "list /", "list ..", "write ../evil")
	if linux() {
		refused = append(refused,
			"socket 1", "socket 2", "socket 10", "socket 16", "pair x", "kill 0", "kill "+self(), "kill 1", "ptrace 0", "prlimit 0",
			"unshare x", "newuser x", "clone3 x", "fork x", "bomb x", "mount x", "chroot x", "root x", "device x", "outlive x", "memfd x", "shm x",
			"privilege x", "raise x", "hold 100")
		for _, line := range []string{"peek 0", "poke 0", "enter x", "uring x", "bpf x", "perf x", "keys x", "faults x", "handle x"} { // else another error
			all = append(all, trial{name: line, args: strings.Fields(line), out: "refused: operation not permitted\n"})
		}
		all = append(all,
			trial{name: "kill all", args: []string{"kill", "-1"}, out: anything}, // the kernel says that it did, but we are here
			trial{name: "shared memory", args: []string{"share", "350"}, end: anyEnd, change: func(j *sandbox.Job) {
				j.Limits.Memory, j.Limits.CPU = 250<<20, 10*time.Second
			}, also: func(r *rig, got sandbox.Result) {
				if got.End != sandbox.MemoryLimit && !bytes.HasPrefix(got.Stdout, []byte("refused: ")) { // the kernel, short of memory itself
					r.Errorf("%s %d, output %q", got.End, got.Code, got.Stdout)
				}
			}},
			trial{name: "threads", args: []string{"threads", "10000"}, end: anyEnd},
			trial{name: "asyncio", args: []string{"asyncio"}, out: "done\n"},
			trial{name: "fifo", args: []string{"fifo"}, out: "done\n", change: func(j *sandbox.Job) { j.Fetch = []string{"fifo"} },
				also: func(r *rig, got sandbox.Result) {
					if len(got.Fetched) > 0 {
						r.Errorf("fetched %q", got.Fetched)
					}
				}},
			trial{name: "no open files", args: []string{"files"}, out: "refused: no more\n"},
			trial{name: "a signal of its own", args: []string{"killself"}, end: sandbox.Signalled, code: 9})
	}
	all = append(all, foreign()...)
	for _, line := range refused {
		all = append(all, trial{name: strings.ReplaceAll(line, "/", "_"), args: strings.Fields(line), out: "refused"})
	}
	return all
}

// anyEnd stands for any end but a good one.
const anyEnd sandbox.End = "*"

// processes are about jobs of several processes, if the back end has them.
func processes(r *rig) []trial {
	if !linux() {
		return nil
	}
	several := func(j *sandbox.Job) { j.Limits.Processes, j.Limits.Threads = 20, 200 }
	job := r.job("exit", "3")
	several(&job)
	if _, err := r.box.Run(r.Context(), job); err != nil {
		r.Logf("several processes: %v", err)
		return nil
	}
	return []trial{
		{name: "an exit status", args: []string{"exit", "3"}, code: 3, change: several},
		{name: "input comes back", args: []string{"echo"}, out: "abcdone\n", change: func(j *sandbox.Job) { several(j); j.Stdin = []byte("abc") }},
		{name: "a signal of its own", args: []string{"killself"}, end: sandbox.Signalled, code: 9, change: several},
		{name: "a pipeline", out: "2\n", change: func(j *sandbox.Job) { several(j); j.Argv = []string{"sh", "-c", "(echo a; echo b) | wc -l"} }},
		{name: "a child that stays", args: []string{"daemon"}, out: "done\n", change: several},
		{name: "a program that stays", args: []string{"start"}, out: "done\n", change: several},
		{name: "a fork bomb", args: []string{"bomb"}, end: anyEnd, change: several},
		{name: "children's time", end: sandbox.CPULimit, change: func(j *sandbox.Job) {
			several(j)
			j.Limits.CPU = 400 * time.Millisecond
			j.Argv = []string{"sh", "-c", "while :; do (i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done); done"}
		}},
		{name: "children's memory", end: sandbox.MemoryLimit, change: func(j *sandbox.Job) {
			several(j)
			j.Limits.Memory, j.Limits.CPU = 250<<20, 10*time.Second
			j.Argv = []string{"sh", "-c", strings.ReplaceAll("./X keep 150 & ./X keep 150 & ./X idle", "X", programName())}
		}},
		{name: "kill the init", args: []string{"kill", "1"}, out: anything, change: several}, // before Linux 6.12 the kernel says that it did
		{name: "read", args: []string{"read", "/etc/passwd"}, out: "refused", change: several},
		{name: "socket", args: []string{"socket", "2"}, out: "refused", change: several},
		{name: "new namespaces", args: []string{"newuser"}, out: "refused", change: several},
		{name: "kill the tester", args: []string{"kill", self()}, out: "refused", change: several},
	}
}
