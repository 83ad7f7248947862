//go:build !nowasm

package wasm

import "golang.org/x/sys/unix"

// auditArch names the processor to a filter.
const auditArch = unix.AUDIT_ARCH_AARCH64
