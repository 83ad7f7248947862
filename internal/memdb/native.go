package memdb

import (
	"errors"
	"sync"
	"time"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
	"modernc.org/sqlite/lib"
)

// pointer is the size of a pointer in bytes.
const pointer = int(unsafe.Sizeof(uintptr(0)))

// load reads a pointer from SQLite's memory.
func load(at uintptr) uintptr { return libc.AtomicLoadPUintptr(at) }

// address returns a function as SQLite calls it. The caller keeps the function as long as SQLite may
// call it.
func address[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&struct{ f F }{f})) }

// today is the moment that SQLite takes for now.
var today = time.Date(2024, time.June, 30, 12, 0, 0, 0, time.UTC)

// clockless registers a file system of SQLite whose clock stands still, and returns its name.
var clockless = sync.OnceValues(func() (name uintptr, err error) {
	tls := libc.NewTLS()
	defer tls.Close()
	if sqlite3.Xsqlite3_initialize(tls) != sqlite3.SQLITE_OK {
		return 0, errors.New("SQLite does not start")
	}
	if name, err = libc.CString("clockless"); err != nil {
		return 0, err
	}
	var vfs sqlite3.Tsqlite3_vfs
	const size = types.Size_t(unsafe.Sizeof(vfs))
	from, to := sqlite3.Xsqlite3_vfs_find(tls, 0), libc.Xmalloc(tls, size)
	if from == 0 || to == 0 {
		return 0, errors.New("SQLite has no file system")
	}
	libc.Xmemcpy(tls, to, from, size)
	libc.AtomicStoreNUintptr(to+unsafe.Offsetof(vfs.FzName), name, 0)
	libc.AtomicStoreNUintptr(to+unsafe.Offsetof(vfs.FxCurrentTimeInt64), address(now), 0)
	if sqlite3.Xsqlite3_vfs_register(tls, to, 0) != sqlite3.SQLITE_OK {
		return 0, errors.New("SQLite takes no file system")
	}
	return name, nil
})

// now stores the moment in milliseconds of the Julian period.
func now(_ *libc.TLS, _, at uintptr) int32 {
	const epoch = 210_866_760_000_000 // 1970
	libc.AtomicStoreNInt64(at, epoch+today.UnixMilli(), 0)
	return sqlite3.SQLITE_OK
}
