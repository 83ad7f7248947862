package queue

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/klauspost/compress/zstd"

	"github.com/quintain-rl/quintain"
)

// The envelope of an encoded group, as docs/formats/group.md describes it.
const (
	groupMagic   = "QNGR"
	groupVersion = 1
	sumLen       = 4 // CRC-32C of all that stands before it
)

// MaxInflated is the usual limit of a [Codec], in bytes: some ten million tokens.
const MaxInflated = 256 << 20

// A FormatError says that bytes are not an encoded group, or not all of one.
type FormatError struct {
	Field string // path of the field that could not be read, "masks[3]"; "envelope" for what stands around the fields
	Why   string
}

// Error names the field and the fault.
func (e *FormatError) Error() string { return e.Field + ": " + e.Why }

// A Codec writes groups in their binary form and reads them again. It may be used
// by many goroutines at once. It holds some megabytes of tables, so a program has
// one of it.
type Codec struct {
	limit    int
	deflater *zstd.Encoder
	inflater *zstd.Decoder
}

// NewCodec returns a codec whose Decode refuses what would take more than limit
// bytes before it is parsed; 0 stands for [MaxInflated]. A decoded group takes at
// most some forty times that, and mostly three times.
func NewCodec(limit int) *Codec {
	if limit <= 0 {
		limit = MaxInflated
	}
	deflater, err := zstd.NewWriter(nil,
		zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false), zstd.WithWindowSize(1<<20))
	inflater, err2 := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(uint64(limit)))
	if err := errors.Join(err, err2); err != nil {
		panic("queue: options of zstd: " + err.Error()) // they are constants
	}
	return &Codec{limit: limit, deflater: deflater, inflater: inflater}
}

// Encode returns the binary form of g. What [Codec.Decode] makes of it equals g bit
// for bit; an absent field is told from an empty one. The error is that of g.Check.
func (c *Codec) Encode(g *quintain.Group) ([]byte, error) {
	if err := g.Check(); err != nil {
		return nil, err
	}
	w := writer{b: make([]byte, 0, 512+8*g.TokenCount())}
	w.group(g)

	out := make([]byte, 0, 64+len(w.b)/2)
	out = append(out, groupMagic...)
	out = append(out, groupVersion)
	out = binary.AppendUvarint(out, uint64(len(w.b)))
	out = c.deflater.EncodeAll(w.b, out)
	return binary.LittleEndian.AppendUint32(out, crc32.Checksum(out, castagnoli())), nil
}

// Decode reads the binary form of a group. The bytes may come from anywhere: an
// error is a [*FormatError]. The group shares no memory with b.
func (c *Codec) Decode(b []byte) (*quintain.Group, error) {
	frame, size, err := unwrap(b)
	if err != nil {
		return nil, err
	}
	if size > uint64(c.limit) {
		return nil, envelopeError("takes %d bytes inflated, and the limit is %d", size, c.limit)
	}
	// What a few bytes claim to hold is believed only as it comes.
	inflated := make([]byte, 0, min(int(size), 64*len(frame)+1024))
	inflated, err = c.inflater.DecodeAll(frame, inflated)
	if err != nil {
		return nil, envelopeError("cannot be inflated: %v", err)
	}
	if uint64(len(inflated)) != size {
		return nil, envelopeError("inflates to %d bytes, and says %d", len(inflated), size)
	}
	r := reader{b: inflated}
	g := r.group()
	if r.err != nil {
		return nil, r.err
	}
	return g, nil
}

// Verify reports whether b is whole, by its checksum: a small part of the cost of
// Decode. A body that passes was written as it is; only Decode says whether what
// was written is a group.
func (c *Codec) Verify(b []byte) error {
	_, _, err := unwrap(b)
	return err
}

// unwrap checks the envelope and returns the compressed part of b, with the size that
// it claims to have inflated.
func unwrap(b []byte) (frame []byte, size uint64, err error) {
	head := len(groupMagic) + 1
	if len(b) < head+1+sumLen || string(b[:len(groupMagic)]) != groupMagic {
		return nil, 0, envelopeError("does not begin as an encoded group does")
	}
	if v := b[len(groupMagic)]; v != groupVersion {
		return nil, 0, envelopeError("has version %d, and this program reads version %d", v, groupVersion)
	}
	rest, sum := b[:len(b)-sumLen], binary.LittleEndian.Uint32(b[len(b)-sumLen:])
	if got := crc32.Checksum(rest, castagnoli()); got != sum {
		return nil, 0, envelopeError("has the checksum %08x, want %08x: bytes were lost or changed", sum, got)
	}
	size, n := binary.Uvarint(rest[head:])
	if n <= 0 {
		return nil, 0, envelopeError("has no readable size")
	}
	return rest[head+n:], size, nil
}

func envelopeError(format string, args ...any) error {
	return &FormatError{Field: "envelope", Why: fmt.Sprintf(format, args...)}
}

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }
