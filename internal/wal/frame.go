package wal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
)

const (
	frameMagic = "QNfr"
	maxHead    = 64 << 20 // largest plausible head, in bytes
)

// PrefixLen is the size in bytes of what a frame has before its head.
const PrefixLen = 36

// A Frame is a head and a payload, to be written whole or not at all. See docs/formats/log.md.
type Frame struct {
	Head    []byte
	Payload [][]byte // one after another
	Sum     uint32   // of the payload
}

// NewFrame returns a frame. It shares the memory.
func NewFrame(head []byte, payload ...[]byte) Frame {
	f := Frame{Head: head, Payload: payload}
	for _, p := range payload {
		f.Sum = Sum(f.Sum, p)
	}
	return f
}

// Sum is the CRC-32C of all that came before, whose sum is given, and b. 0 begins it.
func Sum(before uint32, b []byte) uint32 { return crc32.Update(before, castagnoli(), b) }

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// Size is the size of the frame in a file, in bytes.
func (f Frame) Size() int64 { return int64(PrefixLen+len(f.Head)) + f.length() }

// length is the size of the payload in bytes.
func (f Frame) length() (n int64) {
	for _, p := range f.Payload {
		n += int64(len(p))
	}
	return n
}

// AppendTo appends the frame without its payload, for an offset of a file. batch is the offset of
// the first frame of the same write; salt is the file's.
func (f Frame) AppendTo(b []byte, at, batch int64, salt uint32) []byte {
	from := len(b)
	b = append(b, frameMagic...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(f.Head)))
	b = binary.LittleEndian.AppendUint64(b, uint64(f.length()))
	b = binary.LittleEndian.AppendUint64(b, uint64(batch))
	b = binary.LittleEndian.AppendUint32(b, f.Sum)
	b = binary.LittleEndian.AppendUint32(b, Sum(0, f.Head))
	b = binary.LittleEndian.AppendUint32(b, prefixSum(b[from:], at, salt))
	return append(b, f.Head...)
}

// prefixSum is the checksum of a prefix without the sum's own bytes. With the file's salt neither
// the payload of a frame can pass for a frame nor the frame of another file, and with its offset no
// copy of a frame can.
func prefixSum(b []byte, at int64, salt uint32) uint32 {
	return Sum(salt^uint32(at)^uint32(at>>32), b)
}

// A Found is a frame in a file.
type Found struct {
	At      int64 // offset
	Head    []byte
	Payload int64 // offset
	Length  int64 // of the payload
	Bad     bool  // the payload is damaged

	batch int64
	sum   uint32 // of the payload
}

// End is the offset after the frame.
func (f Found) End() int64 { return f.Payload + f.Length }

// ErrFrame says that no whole frame begins at an offset.
var ErrFrame = errors.New("no whole frame begins")

// A Source is a file of frames to read.
type Source struct {
	io.ReaderAt
	Size   int64
	Salt   uint32
	Sealed int64 // everything below was durable
}

// frame reads the frame at an offset, without its payload.
func (s Source) frame(at int64) (f Found, err error) {
	var p [PrefixLen]byte
	if s.Size-at < PrefixLen {
		return f, ErrFrame
	}
	if _, err := s.ReadAt(p[:], at); err != nil {
		return f, err
	}
	if string(p[:4]) != frameMagic || prefixSum(p[:PrefixLen-4], at, s.Salt) != binary.LittleEndian.Uint32(p[PrefixLen-4:]) {
		return f, ErrFrame
	}
	head, length := int64(binary.LittleEndian.Uint32(p[4:])), binary.LittleEndian.Uint64(p[8:])
	left := s.Size - at - PrefixLen
	if head > min(left, maxHead) || length > uint64(left-head) {
		return f, ErrFrame
	}
	f = Found{
		At: at, Head: make([]byte, head), Payload: at + PrefixLen + head, Length: int64(length),
		batch: int64(binary.LittleEndian.Uint64(p[16:])), sum: binary.LittleEndian.Uint32(p[24:]),
	}
	if _, err := s.ReadAt(f.Head, at+PrefixLen); err != nil {
		return f, err
	}
	if Sum(0, f.Head) != binary.LittleEndian.Uint32(p[28:]) {
		return f, ErrFrame
	}
	return f, nil
}

// Read reads the frame of a size at an offset, and checks all of it. The error may be [ErrFrame].
func (s Source) Read(at, size int64) (head, payload []byte, err error) {
	b := make([]byte, size)
	if _, err := s.ReadAt(b, at); err != nil {
		return nil, nil, err
	}
	f, err := Source{ReaderAt: piece{b, at}, Size: at + size, Salt: s.Salt}.frame(at)
	if err != nil || f.End() != at+size || Sum(0, b[f.Payload-at:]) != f.sum {
		return nil, nil, ErrFrame
	}
	return f.Head, b[f.Payload-at:], nil
}

// A piece is a part of a file in memory.
type piece struct {
	b  []byte
	at int64
}

// ReadAt reads within the piece.
func (p piece) ReadAt(b []byte, at int64) (int, error) { return copy(b, p.b[at-p.at:]), nil }

// whole reports whether the payload of f is intact.
func (s Source) whole(f Found) (bool, error) {
	sum, buf := uint32(0), make([]byte, min(f.Length, 1<<20))
	for at := f.Payload; at < f.End(); {
		n := min(int64(len(buf)), f.End()-at)
		if _, err := s.ReadAt(buf[:n], at); err != nil {
			return false, err
		}
		sum = Sum(sum, buf[:n])
		at += n
	}
	return sum == f.sum, nil
}

// next finds the next frame from an offset on, or returns the size.
func (s Source) next(at int64) (int64, error) {
	buf := make([]byte, 1<<20)
	for at < s.Size {
		n := min(int64(len(buf)), s.Size-at)
		if _, err := s.ReadAt(buf[:n], at); err != nil {
			return s.Size, err
		}
		i := bytes.Index(buf[:n], []byte(frameMagic))
		if i < 0 {
			at += max(1, n-int64(len(frameMagic))+1)
			continue
		}
		at += int64(i)
		_, err := s.frame(at)
		if !errors.Is(err, ErrFrame) {
			return at, err
		}
		at++
	}
	return s.Size, nil
}

// Harden makes the frames of a scan above the seal durable, and the head if nothing is sealed: it
// writes them once more. If a sync of the process before failed, the system may have them in memory
// only, and not know that any more.
func (s Source) Harden(v Scan, f File) error {
	from, to := int64(0), int64(0) // neighbours are written together
	if s.Sealed <= HeadLen {
		to = HeadLen
	}
	for _, one := range v.Frames {
		if one.Bad || one.End() <= s.Sealed {
			continue
		}
		if one.At != to {
			if err := rewrite(f, from, to); err != nil {
				return err
			}
			from = one.At
		}
		to = one.End()
	}
	return errors.Join(rewrite(f, from, to), f.Sync())
}

// rewrite writes a part of a file over itself.
func rewrite(f File, from, to int64) error {
	b := make([]byte, min(to-from, 1<<20))
	for at := from; at < to; at += int64(len(b)) {
		piece := b[:min(int64(len(b)), to-at)]
		if _, err := f.ReadAt(piece, at); err != nil {
			return err
		}
		if _, err := f.WriteAt(piece, at); err != nil {
			return err
		}
	}
	return nil
}
