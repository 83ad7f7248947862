//go:build amd64 || arm64

package box

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Probe starts a trial in a scratch folder and ends it; empty: the system's for temporary files. It returns nil, or why a trial
// cannot start here and what to set.
func Probe(ctx context.Context, scratch string) (err error) {
	dir, err := os.MkdirTemp(scratch, "quintain-probe-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	lower := filepath.Join(dir, "image")
	if err := os.Mkdir(lower, 0o755); err != nil {
		return err
	}
	t, err := New(Options{Lowers: []Lower{{Dir: lower}}, Scratch: dir})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	s, err := t.Start(ctx, Phase{})
	if err != nil {
		return err
	}
	return s.Close()
}

// explain adds to an error of a trial in a folder what to set.
func explain(err error, dir string) error {
	var step *stepError
	if !errors.As(err, &step) {
		return err
	}
	var what string
	switch {
	case step.what == "clone" || step.what == "setgroups" || strings.HasSuffix(step.what, "_map") || step.what == "private":
		what = "user namespaces are forbidden here: " + forbidden()
	case step.what == "overlay" && unfit(dir) != "":
		what = fmt.Sprintf("%s is on %s, over which there is no overlay: name a scratch folder on ext4, xfs, btrfs or tmpfs, by TMPDIR or harbor.scratch", dir, unfit(dir))
	case step.what == "overlay":
		what = "no overlay in a user namespace: it needs Linux 5.12, and as root 5.19"
	case strings.HasPrefix(step.what, "proc"):
		what = "a container masks its /proc: it must be unmasked (--security-opt systempaths=unconfined; Kubernetes: procMount: Unmasked)"
	default:
		return err
	}
	return fmt.Errorf("%s (%w)", what, err)
}

// unfit names the file system of a folder if it is none for changes; else it is empty.
func unfit(dir string) string {
	var fs unix.Statfs_t
	if unix.Statfs(dir, &fs) != nil {
		return ""
	}
	return map[int64]string{unix.OVERLAYFS_SUPER_MAGIC: "an overlay", unix.NFS_SUPER_MAGIC: "NFS", unix.FUSE_SUPER_MAGIC: "FUSE"}[fs.Type]
}

// forbidden says by what user namespaces are forbidden, and what to set.
func forbidden() string {
	read := func(name string) string {
		text, _ := os.ReadFile("/proc/sys/" + name)
		return strings.TrimSpace(string(text))
	}
	switch {
	case read("user/max_user_namespaces") == "0":
		return "sysctl -w user.max_user_namespaces=10000"
	case read("kernel/unprivileged_userns_clone") == "0" && os.Geteuid() != 0:
		return "sysctl -w kernel.unprivileged_userns_clone=1"
	case read("kernel/apparmor_restrict_unprivileged_userns") == "1" && os.Geteuid() != 0:
		return "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or a profile of AppArmor with userns for this program"
	}
	return "in a container, --security-opt seccomp=unconfined; in Kubernetes, hostUsers: false and a seccomp profile of Unconfined"
}

// privileged reports whether we may make mounts.
func privileged() bool {
	var data [2]unix.CapUserData
	err := unix.Capget(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &data[0])
	return err == nil && data[0].Effective>>unix.CAP_SYS_ADMIN&1 == 1
}
