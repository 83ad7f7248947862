package sandboxtest

import (
	"bytes"
	"encoding/binary"
	"runtime"

	"github.com/quintain-rl/quintain/sandbox"
)

// badCall is the signal of a call that a filter does not allow at all.
const badCall = 31

// foreign are attacks by the other system calls of this processor, which have other numbers, and by
// machine code. All are for amd64: a program of arm64 reaches no others.
func foreign() []trial {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return nil
	}
	return []trial{
		{name: "a call of 32 bits", args: []string{"machine", "b814000000cd80c3"}, end: sandbox.Signalled, code: badCall, also: silent}, // getpid by int 0x80
		{name: "a call of x32", args: []string{"machine", "b8270000400f05c3"}, end: sandbox.Signalled, code: badCall, also: silent},     // getpid
		{name: "a socket by machine code", args: []string{"machine", "bf02000000be0100000031d2b8290000000f0585c078020f0bc3"}, out: "done\n"},
		{name: "a program of 32 bits", change: func(j *sandbox.Job) {
			j.Files["small"], j.Argv = small(), []string{"./small"}
		}, end: anyEnd, also: func(r *rig, got sandbox.Result) {
			if got.End != sandbox.Refused && (got.End != sandbox.Signalled || got.Code != badCall) {
				r.Errorf("%s %d", got.End, got.Code)
			}
		}},
	}
}

// silent wants no output: the program has not come back from its call.
func silent(r *rig, got sandbox.Result) {
	if len(got.Stdout) > 0 {
		r.Errorf("output %q", got.Stdout)
	}
}

// small is an ELF program of 32 bits that exits at once, with status 0.
func small() []byte {
	const base, headers = 0x10000, 52 + 32
	code := []byte{0xb8, 1, 0, 0, 0, 0x31, 0xdb, 0xcd, 0x80} // exit
	size := uint32(headers + len(code))
	var b bytes.Buffer
	for _, part := range []any{
		[]byte("\x7fELF\x01\x01\x01"), make([]byte, 9),
		[]uint16{2, 3}, []uint32{1, base + headers, 52, 0, 0}, []uint16{52, 32, 1, 0, 0, 0}, // a program for a 386, with one segment
		[]uint32{1, 0, base, base, size, size, 5, 0x1000}, code, // which is all of it
	} {
		_ = binary.Write(&b, binary.LittleEndian, part) // to memory
	}
	return b.Bytes()
}
