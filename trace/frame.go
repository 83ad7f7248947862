package trace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// magic begins a segment; its last byte is the version of the format.
const magic = "QNtrace\x01"

// Version is the version of the format, which is the only one that is read.
func Version() int { return int(magic[len(magic)-1]) }

// The kinds of frames.
const (
	kindHead   = 'h' // JSON; see [Head]
	kindBlock  = 'b' // records
	kindIndex  = 'i' // the index of the last block
	kindFooter = 'f' // the index of all blocks

	kindRegraded = 'r' // JSON; see [Grading]
)

const (
	// A frame has the size of its payload, a checksum, its kind, and the deflated payload.
	frameHead = 9 // bytes before the payload

	// maxPayload is the largest size of an inflated payload in bytes, and so of a record.
	maxPayload = 256 << 20

	// maxFrame is the largest deflated payload. Random bytes grow slightly.
	maxFrame = maxPayload + maxPayload>>10
)

// A trailer ends a closed segment: the offset of the footer, then trailerMagic.
const (
	trailerSize  = 12
	trailerMagic = "QNtr"
)

// appendFrame appends a frame.
func appendFrame(dst []byte, kind byte, payload []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(payload)))
	dst = binary.LittleEndian.AppendUint32(dst, sumOf(kind, payload))
	return append(append(dst, kind), payload...)
}

// appendTrailer appends the trailer of a segment whose footer is at an offset.
func appendTrailer(dst []byte, footer int64) []byte {
	return append(binary.LittleEndian.AppendUint64(dst, uint64(footer)), trailerMagic...)
}

// sumOf returns the checksum of a frame.
func sumOf(kind byte, payload []byte) uint32 {
	return crc32.Update(crc32.ChecksumIEEE([]byte{kind}), crc32.IEEETable, payload)
}

// A frame is the head of a frame, and its place in a file.
type frame struct {
	at   int64 // offset
	size int64 // of the payload
	sum  uint32
	kind byte
}

// end is the offset after the frame.
func (f frame) end() int64 { return f.at + frameHead + f.size }

// ErrDamaged says that a file is not as written.
var ErrDamaged = errors.New("the trace is damaged")

// frameAt reads the head of a frame. whole is false if the frame exceeds the file, of size
// bytes.
func frameAt(r io.ReaderAt, at, size int64) (f frame, whole bool, err error) {
	if at < 0 || at > size-frameHead {
		return f, false, nil
	}
	var head [frameHead]byte
	if _, err := r.ReadAt(head[:], at); err != nil {
		return f, false, err
	}
	f = frame{
		at: at, size: int64(binary.LittleEndian.Uint32(head[:])), sum: binary.LittleEndian.Uint32(head[4:]), kind: head[8],
	}
	return f, f.end() <= size && f.size <= maxFrame, nil
}

// payload reads and inflates the payload.
func (f frame) payload(r io.ReaderAt) ([]byte, error) {
	b := make([]byte, f.size)
	if _, err := r.ReadAt(b, f.at+frameHead); err != nil {
		return nil, err
	}
	if sumOf(f.kind, b) != f.sum {
		return nil, fmt.Errorf("%w: the checksum of a frame is wrong", ErrDamaged)
	}
	all, err := inflate(b, maxPayload)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return all, nil
}
