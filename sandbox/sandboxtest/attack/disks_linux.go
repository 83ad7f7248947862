package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// disks are the attacks on files elsewhere, and on the limit of the disk.
func disks() map[string]func(string) error {
	return map[string]func(string) error{
		"watch": func(name string) error {
			fd, err := unix.InotifyInit1(0)
			if err == nil {
				_, err = unix.InotifyAddWatch(fd, name, unix.IN_ALL_EVENTS)
			}
			return err
		},
		"xattr":  func(name string) error { _, err := unix.Getxattr(name, "user.x", nil); return unlessNone(err) },
		"lxattr": func(name string) error { _, err := unix.Lgetxattr(name, "user.x", nil); return unlessNone(err) },
		"xattrs": func(name string) error { _, err := unix.Listxattr(name, nil); return err },
		"mark":   func(string) error { return unix.Fsetxattr(0, "user.x", make([]byte, 100), 0) },

		"nameless": func(string) error { return opened(unix.Open(".", unix.O_TMPFILE|unix.O_RDWR, 0o600)) },
		"table":    func(string) error { return clone(unix.CLONE_VM | unix.CLONE_SIGHAND | unix.CLONE_THREAD) },
		"conceal":  func(string) error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) },
		"reserve":  reserve,
		"pass": func(string) error {
			pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
			if err == nil {
				err = unix.Sendmsg(pair[0], []byte("x"), unix.UnixRights(0), nil, 0)
			}
			return err
		},
		"open":   func(megabytes string) error { return hoard(megabytes, false) },
		"map":    func(megabytes string) error { return hoard(megabytes, true) },
		"hidden": hidden,
		"crowd": func(megabytes string) error { // by several threads
			var all sync.WaitGroup
			for range 8 {
				all.Go(func() { runtime.LockOSThread(); _ = hoard(megabytes, false) })
			}
			all.Wait()
			return nil
		},
		"leaderless": func(attack string) error { // its first thread ends
			var all sync.WaitGroup
			all.Go(func() {
				if attack == "keep" {
					defer runtime.KeepAlive(eat(os.Args[3]))
					<-time.After(time.Hour)
				}
				fmt.Println(hoard(os.Args[3], attack == "map"))
				os.Exit(1)
			})
			runtime.LockOSThread() // that of main
			err := call(unix.SYS_EXIT, 0, 0, 0)
			all.Wait()
			return err
		},
	}
}

// unlessNone is the error of a call that was refused: an attribute that is not there is an answer.
func unlessNone(err error) error {
	if errors.Is(err, unix.ENODATA) {
		return nil
	}
	return err
}

// reserve takes disk without a byte written.
func reserve(string) error {
	fd, err := unix.Open("reserved", unix.O_CREAT|unix.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	space := [6]int64{1: 0, 2: 1 << 30} // struct space_resv
	if err := unix.Fallocate(fd, unix.FALLOC_FL_KEEP_SIZE, 0, 1<<30); err == nil {
		return nil
	}
	return call(unix.SYS_IOCTL, uintptr(fd), 0x4030582a, uintptr(unsafe.Pointer(&space)))
}

// hoard writes files of 8 MB, which it has open or mapped, and takes their names away. For each megabyte it
// writes a letter.
func hoard(megabytes string, mapped bool) error {
	n, _ := strconv.Atoi(megabytes)
	part, name := make([]byte, 1<<20), fmt.Sprintf("hoard-%d", unix.Gettid())
	for range n / 8 {
		fd, err := unix.Open(name, unix.O_CREAT|unix.O_RDWR|unix.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		if mapped {
			if _, err := unix.Mmap(fd, 0, unix.Getpagesize(), unix.PROT_READ, unix.MAP_PRIVATE); err != nil {
				return err
			}
		}
		if err := unix.Unlink(name); err != nil {
			return err
		}
		for range 8 {
			if _, err := unix.Write(fd, part); err != nil {
				return err
			}
			fmt.Print("x")
		}
		if mapped {
			_ = unix.Close(fd)
		}
	}
	<-time.After(time.Hour)
	return nil
}

// hidden becomes a program that nobody may read, whose open files nobody may look at, and hoards.
func hidden(megabytes string) error {
	if megabytes == "" {
		return hoard("400", false)
	}
	program, err := os.ReadFile(os.Args[0])
	if err != nil {
		return err
	}
	if err := os.WriteFile("dark", program, 0o111); err != nil {
		return err
	}
	return unix.Exec("./dark", []string{os.Args[0], "hidden"}, nil)
}
