//go:build amd64 || arm64

package native

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

const (
	fast      = 1 << 20 // the growth from one look to the next after which the next one comes soon
	mapsEvery = 10      // looks after which one looks at what is mapped, too, unless the job grows fast
)

// beyond reports whether the job is beyond its limit of disk or files, and whether it comes near. A file
// that loses its name while we count would count twice, so that a second count must agree.
func (r *running) beyond(all []Usage) (ok, near bool) {
	mapped, pauses := r.grows || r.looks%mapsEvery == 0, r.grows || len(all) > 2*runtime.NumCPU()
	for n := range 2 {
		if pauses = pauses || n > 0; pauses { // while they leave us little of the processors, they would fill more
			r.pause(unix.SIGSTOP)
		}
		bytes, files := r.folder.Use(r.limits) // first: a file without a name has none again
		held, hidden := r.held(all, mapped)
		bytes += held
		if ok = bytes > r.limits.Disk || files > r.limits.Files || hidden; !ok {
			if pauses {
				r.pause(unix.SIGCONT)
			}
			r.grows = bytes-r.disk > fast || bytes > r.limits.Disk/2
			r.disk = bytes
			return false, r.grows
		}
	}
	return true, true
}

// pause stops the processes of a job, or has them go on. That of a cell is stopped by others, too.
func (r *running) pause(signal unix.Signal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.over || r.cell:
	case r.fork != nil:
		_ = unix.PidfdSendSignal(r.fork.pidfd, signal, nil, 0)
	default:
		_ = unix.Kill(-r.pid, signal)
	}
}

// held adds up the files without a name that processes have open or mapped. Hidden reports that one of them
// does not let us look.
func (r *running) held(all []Usage, mapped bool) (sum int64, hidden bool) {
	h := holdings{dir: r.folder.Path, largest: r.limits.FileSize, mapped: mapped, files: map[uint64]int64{}}
	for _, one := range all {
		hides := true
		for n := 0; hides && n < 3; n++ { // a thread that is ending lets nobody look either
			err := r.box.asOwner(func() error { return h.add(one) })
			r.box.sees.CompareAndSwap(false, err == nil)
			hides = errors.Is(err, fs.ErrPermission) && r.box.sees.Load()
			if hides {
				one, _ = readProcess(one.PID)
				hides = one.Memory > 0
			}
		}
		hidden = hidden || hides
	}
	for _, size := range h.files {
		sum += size
	}
	return sum, hidden
}

// Holdings are the files without a name that processes have, by their numbers, with their sizes.
type holdings struct {
	dir     string // the folder of the job
	largest int64  // that a file may have
	mapped  bool   // what is mapped is looked at too
	files   map[uint64]int64
}

// add adds those of a process. One that it has only mapped counts as the largest. A process that has ended
// holds none.
func (h *holdings) add(one Usage) error {
	at := fmt.Sprintf("/proc/%d/task/%d", one.PID, one.Alive)
	open, err := os.Open(at + "/fd")
	if err != nil {
		return err
	}
	defer open.Close()
	names, err := open.Readdirnames(-1)
	if err != nil {
		return err
	}
	for _, name := range names {
		var stat unix.Stat_t
		err := unix.Fstatat(int(open.Fd()), name, &stat, 0)
		switch {
		case errors.Is(err, fs.ErrPermission):
			return err
		case err == nil && stat.Nlink == 0 && stat.Mode&unix.S_IFMT == unix.S_IFREG:
			h.files[stat.Ino] = stat.Size
		}
	}
	if !h.mapped {
		return nil
	}
	maps, err := os.Open(at + "/maps")
	if err != nil {
		return err
	}
	defer maps.Close()
	lines := bufio.NewScanner(bufio.NewReaderSize(maps, 64<<10)) // the kernel does most of the work for each read
	for lines.Scan() {
		if line := lines.Bytes(); bytes.HasSuffix(line, []byte(" (deleted)")) && bytes.Contains(line, []byte("/"+filepath.Base(h.dir)+"/")) {
			number, _ := strconv.ParseUint(string(bytes.Fields(line)[4]), 10, 64)
			if _, counted := h.files[number]; !counted {
				h.files[number] = h.largest
			}
		}
	}
	return lines.Err()
}

// asOwner does something that the kernel allows to the user of the jobs, and to root only with a capability.
func (b *Box) asOwner(do func() error) error {
	err := do()
	if b.owner < 0 || !errors.Is(err, fs.ErrPermission) {
		return err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const same = ^uintptr(0)
	become := func(nr uintptr, id int) { _, _, _ = unix.RawSyscall(nr, same, uintptr(id), same) } // of this thread alone
	become(unix.SYS_SETRESGID, b.owner)
	become(unix.SYS_SETRESUID, b.owner)
	defer become(unix.SYS_SETRESGID, os.Getegid())
	defer become(unix.SYS_SETRESUID, 0)
	return do()
}
