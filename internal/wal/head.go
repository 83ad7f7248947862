package wal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// A Head begins every file of frames.
type Head struct {
	Kind   byte // of the file, chosen by its user
	Salt   uint32
	Number uint64 // of the user's choice
}

const (
	fileMagic   = "QNlog"
	fileVersion = 3
)

// HeadLen is the size of a head in bytes.
const HeadLen = 24

// Encode returns the bytes of the head.
func (h Head) Encode() []byte {
	b := append([]byte(fileMagic), fileVersion, h.Kind, 0)
	b = binary.LittleEndian.AppendUint32(b, h.Salt)
	b = binary.LittleEndian.AppendUint64(b, h.Number)
	return binary.LittleEndian.AppendUint32(b, Sum(0, b))
}

// ErrHead says that the first bytes of a file are no head of its kind.
var ErrHead = errors.New("its first bytes are damaged")

// A VersionError says that a file has another format.
type VersionError struct{ Format int }

// Error implements error.
func (e *VersionError) Error() string {
	return fmt.Sprintf("has format %d, and this program reads format %d: use the program that wrote it", e.Format, fileVersion)
}

// Newer reports whether a later version of this program wrote the file.
func (e *VersionError) Newer() bool { return e.Format > fileVersion }

// ReadHead reads and checks the head of a file of a kind.
func ReadHead(r io.ReaderAt, kind byte) (h Head, err error) {
	var b [HeadLen]byte
	if _, err := r.ReadAt(b[:], 0); err != nil && !errors.Is(err, io.EOF) {
		return h, err
	}
	switch {
	case Sum(0, b[:20]) != binary.LittleEndian.Uint32(b[20:]) || string(b[:5]) != fileMagic || b[6] != kind:
		return h, ErrHead
	case b[5] != fileVersion: // a head that is not damaged
		return h, &VersionError{int(b[5])}
	}
	return Head{b[6], binary.LittleEndian.Uint32(b[8:]), binary.LittleEndian.Uint64(b[12:])}, nil
}

// Blank reports whether a file has only zeros between two offsets.
func Blank(r io.ReaderAt, from, to int64) (bool, error) {
	buf := make([]byte, min(max(0, to-from), 64<<10))
	for at := from; at < to; at += int64(len(buf)) {
		b := buf[:min(int64(len(buf)), to-at)]
		if _, err := r.ReadAt(b, at); err != nil {
			return false, err
		}
		if slices.ContainsFunc(b, func(c byte) bool { return c != 0 }) {
			return false, nil
		}
	}
	return true, nil
}
