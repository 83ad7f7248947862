package files

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
)

// Files consist of frames; see docs/formats/stream.md.
const (
	frameMagic = "QNfr"
	prefixLen  = 36
	maxHead    = 64 << 20 // largest plausible head, in bytes
)

// A frame is a head and a payload, written whole or not at all.
type frame struct {
	head    []byte
	payload [][]byte
	sum     uint32 // of the payload
}

func newFrame(head []byte, payload ...[]byte) frame {
	return frame{head, payload, sumOf(payload)}
}

// sumOf is the CRC-32C of a payload.
func sumOf(payload [][]byte) (sum uint32) {
	for _, p := range payload {
		sum = crc32.Update(sum, castagnoli(), p)
	}
	return sum
}

// size is the size of f in a file, in bytes.
func (f frame) size() int64 {
	n := int64(prefixLen + len(f.head))
	for _, p := range f.payload {
		n += int64(len(p))
	}
	return n
}

// appendTo appends the frame without its payload. batch is the offset of the first frame of
// the same sync; salt is the file's.
func (f frame) appendTo(b []byte, batch int64, salt uint32) []byte {
	n := uint64(0)
	for _, p := range f.payload {
		n += uint64(len(p))
	}
	from := len(b)
	b = append(b, frameMagic...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(f.head)))
	b = binary.LittleEndian.AppendUint64(b, n)
	b = binary.LittleEndian.AppendUint64(b, uint64(batch))
	b = binary.LittleEndian.AppendUint32(b, f.sum)
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(f.head, castagnoli()))
	b = binary.LittleEndian.AppendUint32(b, crc32.Update(salt, castagnoli(), b[from:]))
	return append(b, f.head...)
}

// A framed is a frame in a file.
type framed struct {
	at      int64 // offset
	head    []byte
	payload int64 // offset
	length  int64 // of the payload
	batch   int64
	sum     uint32 // of the payload
	bad     bool   // the payload is damaged
}

func (f framed) end() int64 { return f.payload + f.length }

// errFrame says that no frame begins at an offset.
var errFrame = errors.New("no frame")

// A source is a file of frames to read.
type source struct {
	io.ReaderAt
	size   int64
	salt   uint32
	sealed int64 // everything below was durable
}

// frame reads the frame at offset at, without its payload.
func (s source) frame(at int64) (f framed, err error) {
	var p [prefixLen]byte
	if s.size-at < prefixLen {
		return f, errFrame
	}
	if _, err := s.ReadAt(p[:], at); err != nil {
		return f, err
	}
	if string(p[:4]) != frameMagic || crc32.Update(s.salt, castagnoli(), p[:prefixLen-4]) != binary.LittleEndian.Uint32(p[prefixLen-4:]) {
		return f, errFrame
	}
	head, length := int64(binary.LittleEndian.Uint32(p[4:])), binary.LittleEndian.Uint64(p[8:])
	left := s.size - at - prefixLen
	if head > min(left, maxHead) || length > uint64(left-head) {
		return f, errFrame
	}
	f = framed{
		at: at, head: make([]byte, head), payload: at + prefixLen + head, length: int64(length),
		batch: int64(binary.LittleEndian.Uint64(p[16:])), sum: binary.LittleEndian.Uint32(p[24:]),
	}
	if _, err := s.ReadAt(f.head, at+prefixLen); err != nil {
		return f, err
	}
	if crc32.Checksum(f.head, castagnoli()) != binary.LittleEndian.Uint32(p[28:]) {
		return f, errFrame
	}
	return f, nil
}

// whole reports whether the payload of f is intact.
func (s source) whole(f framed) (bool, error) {
	sum, buf := uint32(0), make([]byte, min(f.length, 1<<20))
	for at := f.payload; at < f.end(); {
		n := min(int64(len(buf)), f.end()-at)
		if _, err := s.ReadAt(buf[:n], at); err != nil {
			return false, err
		}
		sum = crc32.Update(sum, castagnoli(), buf[:n])
		at += n
	}
	return sum == f.sum, nil
}

// next finds the next frame from offset at on, or returns the size.
func (s source) next(at int64) (int64, error) {
	buf := make([]byte, 1<<20)
	for at < s.size {
		n := min(int64(len(buf)), s.size-at)
		if _, err := s.ReadAt(buf[:n], at); err != nil {
			return s.size, err
		}
		i := bytes.Index(buf[:n], []byte(frameMagic))
		if i < 0 {
			at += max(1, n-int64(len(frameMagic))+1)
			continue
		}
		at += int64(i)
		_, err := s.frame(at)
		if !errors.Is(err, errFrame) {
			return at, err
		}
		at++
	}
	return s.size, nil
}
