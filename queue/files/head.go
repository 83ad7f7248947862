package files

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/quintain-rl/quintain/queue"
)

// A fileHead begins every file of frames.
type fileHead struct {
	kind byte
	salt uint32
	next uint64 // the next sequence number when the file was made
}

// The kinds of files.
const (
	kindGroups = 'g'
	kindDone   = 'd'
	kindStates = 's'
)

const (
	fileMagic   = "QNlog"
	fileVersion = 2
	fileHeadLen = 24
)

func (h fileHead) encode() []byte {
	b := append([]byte(fileMagic), fileVersion, h.kind, 0)
	b = binary.LittleEndian.AppendUint32(b, h.salt)
	b = binary.LittleEndian.AppendUint64(b, h.next)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli()))
}

var (
	// errHeadless says that the machine or process ended before the first bytes of a new file
	// were durable.
	errHeadless = errors.New("is empty, or all zeros")

	errHead    = errors.New("its first bytes are damaged")
	errForeign = errors.New("belongs to another store")
)

// readFileHead reads and checks the header of a file.
func readFileHead(r io.ReaderAt, kind byte) (h fileHead, err error) {
	var b [fileHeadLen]byte
	if _, err := r.ReadAt(b[:], 0); err != nil && !errors.Is(err, io.EOF) {
		return h, err
	}
	switch {
	case crc32.Checksum(b[:20], castagnoli()) != binary.LittleEndian.Uint32(b[20:]) || string(b[:5]) != fileMagic || b[6] != kind:
		return h, errHead
	case b[5] > fileVersion: // a head that is not damaged
		return h, fmt.Errorf("has format %d, want %d: %w", b[5], fileVersion, queue.ErrNewer)
	case b[5] != fileVersion:
		return h, fmt.Errorf("has format %d of a development version, want %d", b[5], fileVersion)
	}
	return fileHead{b[6], binary.LittleEndian.Uint32(b[8:]), binary.LittleEndian.Uint64(b[12:])}, nil
}

// blank reports whether the first size bytes of a file are zeros.
func blank(r io.ReaderAt, size int64) (bool, error) {
	buf := make([]byte, min(size, 64<<10))
	for at := int64(0); at < size; at += int64(len(buf)) {
		b := buf[:min(int64(len(buf)), size-at)]
		if _, err := r.ReadAt(b, at); err != nil {
			return false, err
		}
		for _, c := range b {
			if c != 0 {
				return false, nil
			}
		}
	}
	return true, nil
}

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }
