//go:build amd64 || arm64

package box

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/quintain-rl/quintain/sandbox/native"
)

// The users inside, if we are root of the machine: as many as most images know, from the first that no user of a machine has.
const (
	rangeStart = 200_000_000
	rangeSize  = 65536
)

// A group is an overlay of a trial.
type group struct {
	at     string
	lowers []string // topmost first
	upper  string   // name of the folder of changes
}

// A Trial is a root file system with changes. Many goroutines may use it.
type Trial struct {
	o      Options
	limits Limits
	dir    string
	lock   *os.File // as long as this process lives
	owner  int      // of the files: the first user inside; -1: we ourselves
	groups []group  // that of the root first

	mu     sync.Mutex
	phases int
	live   *Session        // nil: none
	last   *Session        // whose file systems in memory are still there; nil: none
	points map[string]bool // where mounts stood
}

// New makes a trial's folder in the scratch folder, after it has removed those of processes that are gone. The caller must
// Close the trial, with no session open.
func New(o Options) (*Trial, error) {
	sweep(o.Scratch)
	t := &Trial{o: o, limits: o.Limits.filled(), owner: -1, points: map[string]bool{}}
	if t.o.Host == "" {
		t.o.Host = "trial"
	}
	if ranged() {
		t.owner = rangeStart
	}
	if err := t.group(); err != nil {
		return nil, err
	}
	var err error
	if t.dir, err = Folder(o.Scratch); err != nil {
		return nil, fmt.Errorf("the folder of a trial: %w", err)
	}
	if err := t.fill(); err != nil {
		return nil, errors.Join(fmt.Errorf("the folder of a trial: %w", err), t.Close())
	}
	return t, nil
}

// ranged reports whether we may give a trial its own users: root may, but not in a namespace that does not have them.
func ranged() bool {
	text, _ := os.ReadFile("/proc/self/uid_map")
	for line := range strings.Lines(string(text)) {
		var first, outside, n int
		if _, err := fmt.Sscan(line, &first, &outside, &n); err == nil && first <= rangeStart && rangeStart+rangeSize <= first+n {
			return os.Geteuid() == 0 && privileged()
		}
	}
	return false
}

// group sorts the lowers by where they stand.
func (t *Trial) group() error {
	for _, l := range t.o.Lowers {
		dir, err := filepath.Abs(l.Dir)
		if err != nil {
			return err
		}
		if _, err := os.ReadDir(dir); err != nil {
			return fmt.Errorf("a layer of the image: %w", err)
		}
		at := strings.Join(parts(l.At), "/")
		i := slices.IndexFunc(t.groups, func(g group) bool { return g.at == at })
		if i < 0 {
			i = len(t.groups)
			t.groups = append(t.groups, group{at: at, upper: fmt.Sprintf("upper-%d", i)})
		}
		t.groups[i].lowers = append(t.groups[i].lowers, dir)
	}
	slices.SortStableFunc(t.groups, func(a, b group) int { return cmp.Compare(a.at, b.at) }) // a folder before what is in it
	if len(t.groups) == 0 || t.groups[0].at != "" {
		return errors.New("a trial needs a folder that stands at its root")
	}
	return nil
}

// fill makes what is in the folder of the trial.
func (t *Trial) fill() (err error) {
	if t.owner >= 0 {
		if err := os.Chmod(t.dir, 0o711); err != nil { // for the trial's users to pass
			return err
		}
	}
	if t.lock, err = os.OpenFile(filepath.Join(t.dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return err
	}
	if err := unix.Flock(int(t.lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Join(t.dir, mountName), 0o755); err != nil {
		return err
	}
	for _, g := range t.groups {
		if err := t.mkdir(g.upper); err != nil {
			return err
		}
	}
	if err := unix.Setxattr(filepath.Join(t.dir, t.groups[0].upper), "user.quintain", nil, 0); err != nil {
		return fmt.Errorf("its disk keeps no extended attributes of users (%w): name a scratch folder on ext4, xfs or btrfs, or on tmpfs since Linux 6.6", err)
	}
	return t.hosts()
}

// mkdir makes a folder that belongs to the trial.
func (t *Trial) mkdir(name string) error {
	dir := filepath.Join(t.dir, name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	return t.give(dir, 0o755)
}

// give has a file of ours belong to the trial.
func (t *Trial) give(name string, mode fs.FileMode) error {
	if err := os.Chmod(name, mode); err != nil || t.owner < 0 {
		return err
	}
	return os.Lchown(name, t.owner, t.owner)
}

// hosts adds a layer with /etc/hosts, if the image has none that says something: without one not even localhost has an address.
func (t *Trial) hosts() error {
	i, rest := t.groupOf([]string{"etc", "hosts"})
	if len(rest) == 0 {
		return nil
	}
	found, kind := t.find(i, rest)
	_, folder := t.image(i, rest[:len(rest)-1])
	if kind != 0 && (kind != unix.S_IFREG || found.Size > 0) || folder != unix.S_IFDIR && folder != 0 {
		return nil
	}
	layer := filepath.Join(t.dir, "hosts")
	name := filepath.Join(layer, filepath.Join(rest...))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	t.groups[i].lowers = slices.Insert(t.groups[i].lowers, 0, layer)
	return os.WriteFile(name, []byte("127.0.0.1 localhost "+t.o.Host+"\n::1 localhost\n"), 0o644)
}

// groupOf finds the overlay in which a path is, and the rest of the path below it.
func (t *Trial) groupOf(names []string) (i int, rest []string) {
	rest = names
	for n, g := range t.groups {
		at := parts(g.at)
		if len(at) <= len(names) && slices.Equal(at, names[:len(at)]) {
			i, rest = n, names[len(at):]
		}
	}
	return i, rest
}

// image tells what a group's image has at a path: the kind of file, 0 for none, and what a link says.
func (t *Trial) image(i int, rest []string) (target string, kind uint32) {
	stat, kind := t.find(i, rest)
	if kind == unix.S_IFLNK {
		target, _ = os.Readlink(stat.name)
	}
	return target, kind
}

// A finding is a file of an image.
type finding struct {
	unix.Stat_t
	name string
}

// Find tells where an absolute path lies in folders laid over each other, topmost first, as an overlay shows them, without
// following links; empty: there is nothing.
func Find(lowers []Lower, name string) string {
	var dirs []string
	at, names := -1, parts(name)
	for _, l := range lowers {
		below := parts(l.At)
		if len(below) < at || len(below) > len(names) || !slices.Equal(below, names[:len(below)]) {
			continue
		}
		if len(below) > at {
			at, dirs = len(below), nil
		}
		dirs = append(dirs, l.Dir)
	}
	f, kind := lookUp(dirs, names[max(at, 0):])
	if kind == 0 {
		return ""
	}
	return f.name
}

// find looks a path up in the folders of a group.
func (t *Trial) find(i int, rest []string) (f finding, kind uint32) {
	return lookUp(t.groups[i].lowers, rest)
}

// lookUp looks a path up in folders, topmost first.
func lookUp(dirs, rest []string) (f finding, kind uint32) {
	for _, lower := range dirs {
		f.name = lower
		over := false // lower folders do not show through
		if unix.Lstat(lower, &f.Stat_t) != nil {
			continue
		}
		found := true
		for _, name := range rest {
			over = over || opaque(f.name)
			f.name = filepath.Join(f.name, name)
			if err := unix.Lstat(f.name, &f.Stat_t); err != nil {
				found = false
				break
			}
			if f.Mode&unix.S_IFMT == unix.S_IFCHR && f.Rdev == 0 {
				return f, 0
			}
			over = over || f.Mode&unix.S_IFMT != unix.S_IFDIR
		}
		if found {
			return f, f.Mode & unix.S_IFMT
		}
		if over {
			break
		}
	}
	return finding{}, 0
}

// opaque reports whether a folder hides those below it.
func opaque(dir string) bool {
	var value [1]byte
	n, err := unix.Lgetxattr(dir, "user.overlay.opaque", value[:])
	return err == nil && n == 1 && value[0] == 'y'
}

// changed reports whether the trial changed a path.
func (t *Trial) changed(i int, rest []string) bool {
	_, err := os.Lstat(filepath.Join(t.dir, t.groups[i].upper, filepath.Join(rest...)))
	return err == nil
}

// work is the name of the folder in which the overlay of a group works in the present phase: a second one would refuse it.
func (t *Trial) work(i int) string { return fmt.Sprintf("work-%d-%d", t.phases, i) }

// attributes are those of an overlay. With one user inside, no program may make another of it.
func (t *Trial) attributes() uint64 {
	if t.owner < 0 {
		return tame
	}
	return unix.MOUNT_ATTR_NODEV
}

// processors is the set of those that the trial may use, as the kernel takes it; nil: all.
func (t *Trial) processors() []uint64 {
	var all unix.CPUSet
	n := int(math.Ceil(t.limits.CPUs))
	if n <= 0 || unix.SchedGetaffinity(0, &all) != nil || n >= all.Count() {
		return nil
	}
	skip := int(t.lock.Fd()) % (all.Count() - n + 1) // not all trials the same ones
	set := make([]uint64, len(all))
	for cpu := range len(all) * 64 {
		if !all.IsSet(cpu) {
			continue
		}
		if skip--; skip < 0 && n > 0 {
			set[cpu/64] |= 1 << (cpu % 64)
			n--
		}
	}
	return set
}

// Close removes the trial with all that it wrote.
func (t *Trial) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.live != nil {
		return errors.New("a trial with an open session")
	}
	if t.dir == "" {
		return nil
	}
	t.forget()
	err := native.RemoveTree(t.dir)
	t.dir = ""
	if t.lock != nil {
		err = errors.Join(err, t.lock.Close())
	}
	return err
}

// forget closes the file systems in memory of the last phase.
func (t *Trial) forget() {
	if t.last == nil {
		return
	}
	for _, f := range t.last.memory {
		_ = f.Close()
	}
	t.last.memory, t.last = nil, nil
}

// sweep removes the folders of processes that are gone, whose locks nobody holds.
func sweep(scratch string) {
	names, _ := filepath.Glob(filepath.Join(scratch, prefix+"*"))
	own := strconv.Itoa(os.Getpid())
	for _, dir := range names {
		maker, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), prefix), "-")
		if maker == own {
			continue
		}
		if _, err := os.Stat("/proc/" + maker); err == nil {
			continue
		}
		lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			continue // another user's
		}
		if unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
			_ = native.RemoveTree(dir) // another process does, later
		}
		_ = lock.Close()
	}
}
