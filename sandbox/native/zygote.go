package native

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/sandbox"
)

// zygoteFlags are the flags of Python that a zygote can have.
var zygoteFlags = []string{"-I", "-s", "-P", "-S", "-E", "-B", "-O", "-OO", "-b", "-bb", "-u", "-Xint_max_str_digits=0"}

// checkZygote reports why an interpreter with flags cannot be a zygote.
func checkZygote(argv []string) error {
	if len(argv) == 0 {
		return nil
	}
	for _, flag := range argv[1:] {
		if !slices.Contains(zygoteFlags, flag) {
			return fmt.Errorf("the zygote's argument %q is not one of %s", flag, strings.Join(zygoteFlags, " "))
		}
	}
	if !slices.Contains(argv, "-I") && !(slices.Contains(argv, "-s") && slices.Contains(argv, "-P")) {
		return errors.New("the zygote needs the flag -I, or -s and -P: it must not import files of jobs when it starts")
	}
	return nil
}

// With less, an interpreter hardly starts. A fresh one fails as it does without a sandbox.
const (
	leastMemory = 32 << 20
	leastOpen   = 16
)

// endOfZip is in each zip archive, which Python runs too.
var endOfZip = []byte("PK\x05\x06")

// warm reports whether a fork of a zygote runs a job as a fresh interpreter does.
func (b *Box) warm(job sandbox.Job) bool {
	own := b.config.Zygote
	if len(own) == 0 || job.Limits.Processes > 1 || len(job.Argv) <= len(own) || !slices.Equal(job.Argv[:len(own)], own) {
		return false
	}
	if l := job.Limits.Filled(); l.Memory < leastMemory || l.Open < leastOpen {
		return false
	}
	if job.HashSeed() != 0 && !slices.Contains(own, "-I") && !slices.Contains(own, "-E") {
		return false
	}
	rest := job.Argv[len(own):]
	if rest[0] == "-c" {
		return len(rest) > 1 && utf8.ValidString(rest[1])
	}
	source, ours := job.Files[rest[0]]
	return ours && strings.HasSuffix(rest[0], ".py") && rest[0][0] != '-' && !bytes.Contains(source, endOfZip)
}

// The kinds of reports.
const (
	reportForked   = 'f' // with the descriptor of the process
	reportUnforked = 'n' // Status is the number of the error
	reportStarted  = 's' // the job begins
	reportFailed   = 'x' // the fork could not confine itself: Text says why
	reportEnded    = 'e' // Status is the wait status
)

// A report is what a zygote says of one of its forks.
type report struct {
	kind   byte
	pid    int // as the zygote knows it
	status uint32
	cpu    time.Duration
	text   string
}

// reportSize is the size of a report without text.
const reportSize = 1 + 4 + 4 + 8

// parseReport reads a report.
func parseReport(packet []byte) (report, error) {
	if len(packet) < reportSize {
		return report{}, fmt.Errorf("a report of %d bytes", len(packet))
	}
	r := report{
		kind:   packet[0],
		pid:    int(int32(binary.NativeEndian.Uint32(packet[1:]))),
		status: binary.NativeEndian.Uint32(packet[5:]),
		cpu:    time.Duration(binary.NativeEndian.Uint64(packet[9:])) * time.Microsecond,
		text:   strings.ToValidUTF8(string(packet[reportSize:]), "?"),
	}
	if r.kind != reportUnforked && r.pid <= 0 || r.cpu < 0 {
		return report{}, fmt.Errorf("a report of process %d, %v on the processor", r.pid, r.cpu)
	}
	return r, nil
}
