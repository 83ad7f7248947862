package files

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/quintain-rl/quintain/queue"
)

// The files of a folder are made of frames; see docs/formats/stream.md.
const (
	frameMagic = "QNfr"
	prefixLen  = 36
	maxHead    = 64 << 20 // bytes of the largest head that is believed
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

// size is what f takes in a file.
func (f frame) size() int64 {
	n := int64(prefixLen + len(f.head))
	for _, p := range f.payload {
		n += int64(len(p))
	}
	return n
}

// appendTo appends the frame without its payload. batch is the offset of the first
// frame of the same sync; salt is the file's.
func (f frame) appendTo(b []byte, batch int64, salt uint32) []byte {
	n := uint64(0)
	for _, p := range f.payload {
		n += uint64(len(p))
	}
	at := len(b)
	b = append(b, frameMagic...)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(f.head)))
	b = binary.LittleEndian.AppendUint64(b, n)
	b = binary.LittleEndian.AppendUint64(b, uint64(batch))
	b = binary.LittleEndian.AppendUint32(b, f.sum)
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(f.head, castagnoli()))
	b = binary.LittleEndian.AppendUint32(b, crc32.Update(salt, castagnoli(), b[at:]))
	return append(b, f.head...)
}

// A framed is a frame within a file.
type framed struct {
	head    []byte
	payload int64 // offset
	length  int64 // of the payload
	batch   int64
	sum     uint32 // of the payload
}

func (f framed) end() int64 { return f.payload + f.length }

// errFrame says that there is no frame where one should be.
var errFrame = errors.New("no frame")

// A source is a file of frames to read.
type source struct {
	io.ReaderAt
	size int64
	salt uint32 // of the file, so that the content of a group cannot pass for a frame
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
		head: make([]byte, head), payload: at + prefixLen + head, length: int64(length),
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

// A survey is what a file of frames holds.
type survey struct {
	frames []framed
	end    int64 // offset after the last frame that counts
	torn   bool  // more follows it, which was never confirmed
	rotten int   // places before the last write that are not as written
}

// survey reads the heads of all frames. If a frame of the last write is not whole,
// that write was probably never synced: the file ends before it. With deep set,
// payloads are checked too, which is needed only for a file that may have been
// written to when the machine stopped.
func (s source) survey(deep bool) (v survey, err error) {
	var bad []int64 // offsets of what is not whole
	at, batch := int64(fileHeadLen), int64(fileHeadLen)
	for at < s.size {
		f, err := s.frame(at)
		if errors.Is(err, errFrame) {
			bad = append(bad, at)
			if at, err = s.next(at + 1); err != nil {
				return v, err
			}
			continue
		}
		if err != nil {
			return v, err
		}
		v.frames = append(v.frames, f)
		batch, at = f.batch, f.end()
		if !deep {
			continue
		}
		if ok, err := s.whole(f); err != nil {
			return v, err
		} else if !ok {
			bad = append(bad, f.payload)
		}
	}
	return v.judge(bad, batch), nil
}

// judge ends the survey. bad are the offsets of what is not whole, and batch is where
// the last write begins.
func (v survey) judge(bad []int64, batch int64) survey {
	cut := int64(-1)
	for _, at := range bad {
		if at >= batch || at >= v.last() {
			cut = at
			break
		}
		v.rotten++
	}
	for cut >= 0 && len(v.frames) > 0 && v.last() > cut {
		v.frames = v.frames[:len(v.frames)-1]
	}
	v.end, v.torn = v.last(), cut >= 0
	return v
}

// last is the end of the last frame.
func (v survey) last() int64 {
	if len(v.frames) == 0 {
		return fileHeadLen
	}
	return v.frames[len(v.frames)-1].end()
}

// A fileHead opens every file of frames.
type fileHead struct {
	kind byte
	salt uint32
	next uint64 // the next sequence number to be given when the file was made
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

// readFileHead checks the first bytes of a file.
func readFileHead(r io.ReaderAt, kind byte) (h fileHead, err error) {
	var b [fileHeadLen]byte
	if _, err := r.ReadAt(b[:], 0); err != nil {
		return h, err
	}
	switch {
	case b == [fileHeadLen]byte{}:
		return h, errHeadless
	case string(b[:5]) != fileMagic:
		return h, errors.New("is not a file of a queue")
	case b[5] != fileVersion:
		return h, fmt.Errorf("has format %d, and this program reads format %d: %w", b[5], fileVersion, queue.ErrNewer)
	case crc32.Checksum(b[:20], castagnoli()) != binary.LittleEndian.Uint32(b[20:]) || b[6] != kind:
		return h, errors.New("its first bytes are damaged")
	}
	return fileHead{b[6], binary.LittleEndian.Uint32(b[8:]), binary.LittleEndian.Uint64(b[12:])}, nil
}

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }
