package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/quintain-rl/quintain/internal/datadir"
)

const (
	syncBytes = 4096
	maxSyncs  = 50
	syncTime  = time.Second // for all of them, unless the last takes longer

	tooQuick  = 10 * time.Microsecond // no disk is
	slowSync  = 20 * time.Millisecond
	leastFree = 1 << 30
)

// A volume is what the folder of the data stands on.
type volume struct {
	dir   string          // that was tried: the data folder, or the nearest one above that exists
	syncs []time.Duration // in order of length

	kind        string // of the file system, as the system calls it; empty: unknown
	free, total int64
	measured    bool // free and total are known
	locks       bool // a second process cannot open the folder
}

// disk examines the folder of the data.
func disk(data string) []Finding {
	v, err := tryVolume(data)
	if err != nil {
		return []Finding{{
			Check: "data folder", Level: Fail, Found: err.Error(), Remedy: "choose a folder with --data that this user may write",
		}}
	}
	return []Finding{judgeFolder(v), judgeSpace(v), judgeSync(v)}
}

// tryVolume writes to a folder, in a folder of its own, which it removes.
func tryVolume(data string) (v volume, err error) {
	if v.dir, err = existing(data); err != nil {
		return v, err
	}
	own, err := os.MkdirTemp(v.dir, "quintain-doctor-*")
	if err != nil {
		return v, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(own)) }()
	v.kind = fileSystem(own)
	v.free, v.total, v.measured = datadir.Space(own)
	if v.syncs, err = timeSyncs(filepath.Join(own, "file")); err != nil {
		return v, err
	}
	lock, err := datadir.Lock(own)
	if err != nil {
		return v, err
	}
	again, err := datadir.Lock(own)
	if v.locks = errors.Is(err, datadir.ErrInUse); !v.locks && err == nil {
		err = again.Close()
	} else if v.locks {
		err = nil
	}
	return v, errors.Join(err, lock.Close())
}

// existing is a folder, or the nearest one above it that exists.
func existing(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if above := filepath.Dir(path); errors.Is(err, fs.ErrNotExist) && above != path {
		return existing(above)
	}
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is a file, want a folder", path)
	}
	return path, err
}

// timeSyncs measures how long the disk takes to make a page durable, as the queue does it.
func timeSyncs(path string) (took []time.Duration, err error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	page := make([]byte, syncBytes)
	for began := time.Now(); len(took) < maxSyncs && (time.Since(began) < syncTime || len(took) == 0); {
		if _, err := f.Write(page); err != nil {
			return nil, err
		}
		start := time.Now()
		if err := datadir.SyncData(f); err != nil {
			return nil, err
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	return took, datadir.SyncFolder(filepath.Dir(path))
}

// A doubt is what a file system does not promise.
type doubt struct{ why, remedy string }

// doubts are those of file systems, by the names of [fileSystem].
func doubts(kind string) doubt {
	memory := doubt{"is in memory: a restart of the machine loses everything", "use a folder on a disk, unless the data may be lost"}
	network := doubt{"is on the network: its server decides what is durable and locked", "mount it hard, and export it sync; only NFS 4, Lustre and the like keep a second process out. A local disk is faster"}
	bridge := doubt{"is another system's, through a bridge: a sync need not reach its disk, and locks need not hold", "use a disk or a volume of this machine"}
	return map[string]doubt{
		"tmpfs": memory, "ramfs": memory,
		"nfs": network, "smb": network, "cifs": network, "smbfs": network, "afs": network, "ceph": network, "lustre": network, "gpfs": network, "beegfs": network, "webdav": network,
		"fuse": bridge, "9p": bridge, "virtiofs": bridge, "vboxsf": bridge, "macfuse": bridge,
		"overlay": {"is a layer of a container: it is removed with the container", "mount a volume for the data"},
	}[kind]
}

// judgeFolder says whether the file system keeps what it promised.
func judgeFolder(v volume) Finding {
	f := ok("data folder", "%s can be written", v.dir)
	if v.kind != "" {
		f.Found += ", on " + v.kind
	}
	switch d := doubts(v.kind); {
	case !v.locks:
		f.Found += "; its locks do not hold"
		return f.as(Warn, "a second process could open the same data and damage it: start one only, or use another file system")
	case d.why != "":
		f.Found += ", which " + d.why
		return f.as(Warn, d.remedy)
	}
	return f
}

// judgeSpace says whether the disk has room.
func judgeSpace(v volume) Finding {
	if !v.measured {
		return ok("disk space", "not known on this system")
	}
	f := ok("disk space", "%s of %s are free", size(v.free), size(v.total))
	if v.free < leastFree {
		return f.as(Warn, "the hub answers 507 once the disk is full: make room, or choose another folder with --data")
	}
	return f
}

// judgeSync says whether the disk makes data durable, and how fast.
func judgeSync(v volume) Finding {
	median, longest := v.syncs[len(v.syncs)/2], v.syncs[len(v.syncs)-1]
	f := ok("disk sync", "%v for %d KiB, at most %v in %d", short(median), syncBytes>>10, short(longest), len(v.syncs))
	switch inMemory := v.kind == "tmpfs" || v.kind == "ramfs"; {
	case median > slowSync:
		return f.as(Warn, "each acknowledgement waits for a sync: use a disk with a write cache that survives power cuts, such as a data-centre SSD")
	case median < tooQuick && !inMemory:
		return f.as(Warn, "no disk is that fast, so a power cut may lose acknowledged data: look for a cache mode such as unsafe of the virtual machine, nobarrier, or eatmydata")
	}
	return f
}

// short rounds a time to three digits or so.
func short(d time.Duration) time.Duration {
	unit := time.Nanosecond
	for d > 1000*unit {
		unit *= 10
	}
	return d.Round(unit)
}
