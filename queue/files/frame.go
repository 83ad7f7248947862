package files

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
)

// The files of a folder are made of frames; see docs/formats/stream.md.
const (
	frameMagic = "QNfr"
	fixedLen   = 16                                 // bytes of a prefix before its numbers
	leastLen   = fixedLen + 3                       // of the shortest prefix
	mostLen    = fixedLen + 3*binary.MaxVarintLen64 // of the longest
	maxHead    = 64 << 20                           // of the largest head that is believed
)

// A frame is a head and a payload, which are kept together or not at all.
type frame struct {
	head    []byte
	payload [][]byte
	sum     uint32 // of the payload
}

// newFrame returns a frame.
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

// payloadLen is the size of the payload.
func (f frame) payloadLen() (n int64) {
	for _, p := range f.payload {
		n += int64(len(p))
	}
	return n
}

// numbers are the sizes of head and payload, and how far back the first frame of the
// same sync is.
func (f frame) numbers(b []byte, back int64) []byte {
	b = binary.AppendUvarint(b, uint64(len(f.head)))
	b = binary.AppendUvarint(b, uint64(f.payloadLen()))
	return binary.AppendUvarint(b, uint64(back))
}

// lead is what f takes before its payload.
func (f frame) lead(back int64) int64 {
	var b [mostLen]byte
	return int64(fixedLen + len(f.numbers(b[:0], back)) + len(f.head))
}

// size is what f takes in a file.
func (f frame) size(back int64) int64 { return f.lead(back) + f.payloadLen() }

// appendTo appends the frame without its payload. at is its offset, and batch that of
// the first frame of the same sync; salt is the file's.
func (f frame) appendTo(b []byte, at, batch int64, salt uint32) []byte {
	from := len(b)
	b = append(b, frameMagic...)
	b = append(b, 0, 0, 0, 0)
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(f.head, castagnoli()))
	b = binary.LittleEndian.AppendUint32(b, f.sum)
	b = f.numbers(b, at-batch)
	binary.LittleEndian.PutUint32(b[from+4:], prefixSum(salt, at, b[from+8:]))
	return append(b, f.head...)
}

// prefixSum is the CRC-32C of a prefix after its sum, begun with the file's salt and the
// frame's offset: a frame is one only in its file and at its place.
func prefixSum(salt uint32, at int64, rest []byte) uint32 {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(at))
	return crc32.Update(crc32.Update(salt, castagnoli(), b[:]), castagnoli(), rest)
}

// A framed is a frame within a file.
type framed struct {
	at      int64 // offset
	head    []byte
	payload int64 // offset
	length  int64 // of the payload
	batch   int64
	sum     uint32 // of the payload
	bad     bool   // the payload is not as it was written
}

func (f framed) end() int64 { return f.payload + f.length }

// errFrame says that there is no frame where one should be.
var errFrame = errors.New("no frame")

// A source is a file of frames to read.
type source struct {
	io.ReaderAt
	size   int64
	salt   uint32
	sealed int64 // below it everything was durable
}

// frame reads the frame at offset at, without its payload.
func (s source) frame(at int64) (f framed, err error) {
	p, sum, err := s.prefix(at)
	if err != nil {
		return f, err
	}
	left := s.size - at - p.len
	if p.head > uint64(min(left, maxHead)) || p.payload > uint64(left)-p.head || p.back > uint64(at) {
		return f, errFrame
	}
	f = framed{at: at, head: make([]byte, p.head), payload: at + p.len + int64(p.head), length: int64(p.payload), batch: at - int64(p.back), sum: p.sum}
	if _, err := s.ReadAt(f.head, at+p.len); err != nil {
		return f, err
	}
	if crc32.Checksum(f.head, castagnoli()) != sum {
		return f, errFrame
	}
	return f, nil
}

// A prefix is what a frame begins with.
type prefix struct {
	head, payload, back uint64
	sum                 uint32 // of the payload
	len                 int64  // of the prefix
}

// prefix reads the prefix of the frame at offset at, and the sum of its head.
func (s source) prefix(at int64) (p prefix, headSum uint32, err error) {
	var buf [mostLen]byte
	b := buf[:min(mostLen, max(0, s.size-at))]
	if len(b) < leastLen {
		return p, 0, errFrame
	}
	if _, err := s.ReadAt(b, at); err != nil {
		return p, 0, err
	}
	p.len = fixedLen
	for _, v := range []*uint64{&p.head, &p.payload, &p.back} {
		n := 0
		if *v, n = binary.Uvarint(b[p.len:]); n <= 0 {
			return p, 0, errFrame
		}
		p.len += int64(n)
	}
	if string(b[:4]) != frameMagic || prefixSum(s.salt, at, b[8:p.len]) != binary.LittleEndian.Uint32(b[4:]) {
		return p, 0, errFrame
	}
	p.sum = binary.LittleEndian.Uint32(b[12:])
	return p, binary.LittleEndian.Uint32(b[8:]), nil
}

// whole reports whether the payload of f is as written.
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

// next looks for a frame from offset at on. It returns the size if there is none.
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
