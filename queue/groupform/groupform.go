// Package groupform encodes and decodes groups; docs/formats/group.md describes their binary
// form. A [Codec] does both.
package groupform

import (
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/quintain-rl/quintain"
)

// MaxInflated is the default limit of a [Codec], in bytes: about ten million tokens.
const MaxInflated = 256 << 20

// A FormatError reports bytes that are not a complete encoded group.
type FormatError struct {
	Field string // path of the invalid field, such as "masks[3]"; "envelope" for the bytes around the fields
	Why   string
}

// Error implements error.
func (e *FormatError) Error() string { return e.Field + ": " + e.Why }

// A TooLargeError reports a group above a limit on its binary form.
type TooLargeError struct {
	Bytes, Limit int // sizes of the binary form
}

// Error implements error.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the group takes %d bytes, want at most %d", e.Bytes, e.Limit)
}

// A Codec encodes and decodes groups. Many goroutines may use it at once. It has some
// megabytes of tables, so a program should share one.
type Codec struct {
	limit    int
	deflater *zstd.Encoder
	inflater *zstd.Decoder
	writers  sync.Pool     // of *writer
	buffers  sync.Pool     // of *[]byte
	scratch  sync.Pool     // of *scratch
	large    chan struct{} // a semaphore: an element for each large group being encoded
}

// NewCodec returns a codec that refuses groups with more than limit bytes of inflated
// fields; 0 stands for [MaxInflated]. A decoded group takes about three times its inflated
// size in memory, and at most about forty times.
func NewCodec(limit int) *Codec {
	if limit <= 0 {
		limit = MaxInflated
	}
	deflater, err := zstd.NewWriter(nil,
		zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false), zstd.WithWindowSize(1<<20))
	inflater, err2 := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(uint64(limit)), zstd.WithDecodeAllCapLimit(true))
	if err := errors.Join(err, err2); err != nil {
		panic("groupform: options of zstd: " + err.Error()) // cannot happen: constants
	}
	return &Codec{limit: limit, deflater: deflater, inflater: inflater, large: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)-1))}
}

// Encode returns the binary form of g, packed small. [Codec.Decode] restores g bit for bit,
// with absent and empty fields apart. The error is that of g.Check, or a [*TooLargeError].
func (c *Codec) Encode(g *quintain.Group) ([]byte, error) {
	return c.exact(func(dst []byte) ([]byte, error) {
		b, _, err := c.appendGroup(dst, g, packedSmall)
		return b, err
	})
}

// EncodeFast is [Codec.Encode] in a fifth of the time, with a result about a quarter larger.
func (c *Codec) EncodeFast(g *quintain.Group) ([]byte, error) {
	return c.exact(func(dst []byte) ([]byte, error) {
		b, _, err := c.AppendFast(dst, g)
		return b, err
	})
}

// AppendFast appends the result of [Codec.EncodeFast] to dst. sum is the CRC-32C of the
// fields, which identifies content in any packing.
func (c *Codec) AppendFast(dst []byte, g *quintain.Group) (b []byte, sum uint32, err error) {
	return c.appendGroup(dst, g, packedFast)
}

// exact returns the result of appendTo in a slice of its exact size.
func (c *Codec) exact(appendTo func(dst []byte) ([]byte, error)) ([]byte, error) {
	buf := c.buffer()
	b, err := appendTo((*buf)[:0])
	if err != nil {
		return nil, err
	}
	exact := appendAll(make([]byte, 0, len(b)), b)
	c.keep(buf, b)
	return exact, nil
}

// appendGroup appends the binary form of g to dst, and returns the sum of its fields.
func (c *Codec) appendGroup(dst []byte, g *quintain.Group, version byte) (b []byte, sum uint32, err error) {
	if err := g.Check(); err != nil {
		return nil, 0, err
	}
	if MemoryOf(g) > largeGroup {
		c.large <- struct{}{}
		defer func() { <-c.large }()
	}
	w, ok := c.writers.Get().(*writer)
	if !ok {
		w = &writer{}
	}
	defer func() {
		if cap(w.b)+8*cap(w.values) <= maxKept {
			c.writers.Put(w)
		}
	}()
	w.b, w.values = w.b[:0], w.values[:0]
	w.group(g)
	if len(w.b) > c.limit {
		return nil, 0, &TooLargeError{Bytes: len(w.b), Limit: c.limit}
	}
	pack := appendFast
	switch {
	case version == packedSmall:
		pack = c.appendSmall
	case 2*TextSize(g) < len(w.b):
		pack = appendPlain
	}
	return wrap(dst, w.b, version, pack), sumOf(w.b), nil
}

// TextSize is about how many bytes of g are text. Snappy hardly shrinks numbers: a group of
// mostly numbers would become a seventh smaller, at a tenth of the whole cost of taking it.
func TextSize(g *quintain.Group) int {
	n := len(g.Messages) + len(g.Generation) + len(g.GroupOverrides) + len(g.Images)
	for _, v := range g.Overrides {
		n += len(v)
	}
	return n
}

// Decode decodes a group in either packing from untrusted bytes; an error is a
// [*FormatError]. The group shares no memory with b. Decode does not check it: see
// [quintain.Group.Check].
func (c *Codec) Decode(b []byte) (*quintain.Group, error) {
	buf := c.buffer()
	fields, err := c.inflate(b, *buf)
	if err != nil {
		return nil, err
	}
	r := reader{b: fields}
	g := r.group()
	c.keep(buf, fields)
	if r.err != nil {
		return nil, r.err
	}
	return g, nil
}

// ErrVast says that a group takes much more memory than its fields have bytes; see
// [Codec.View].
var ErrVast = errors.New("the group takes much more memory than bytes")

// viewRoom is the memory that View allows a group beside its fields, given their bytes. Long
// prompts with short replies have few bytes and take much memory: a prompt token is a byte
// or two, and 28 in memory.
func viewRoom(fields int) int {
	const usual, most, few, least = 8, 32, 2 << 20, 64 << 10
	return usual*fields + min((most-usual)*fields, few) + least
}

// ViewSize is the most memory, in bytes, that [Codec.View] takes for the group in b. The
// error says that b cannot be a group.
func (c *Codec) ViewSize(b []byte) (int, error) {
	fields, err := c.size(b)
	return fields + viewRoom(fields), err
}

// VastSize is the most memory, in bytes, that [Codec.Decode] takes for the group in b. The
// error is that of ViewSize.
func (c *Codec) VastSize(b []byte) (int, error) {
	fields, err := c.size(b)
	return 45*fields + 320<<10, err
}

// size is the announced number of bytes of the fields in b.
func (c *Codec) size(b []byte) (int, error) {
	e, err := open(b)
	if err != nil {
		return int(min(e.size, uint64(c.limit))), err
	}
	if e.size > uint64(c.limit) {
		return c.limit, envelopeError("takes %d bytes inflated, want at most %d", e.size, c.limit)
	}
	return int(e.size), nil
}

// View decodes b as [Codec.Decode] does and calls look with the group and the sum of its
// fields, see [Codec.AppendFast]. It returns the error of either. look must not keep the
// group: its memory is reused. View refuses a group that takes much more memory than its
// fields have bytes with [ErrVast]; only Decode reads that.
func (c *Codec) View(b []byte, look func(g *quintain.Group, sum uint32) error) error {
	s, ok := c.scratch.Get().(*scratch)
	if !ok {
		s = &scratch{}
	}
	defer func() {
		if s.size() <= maxKept {
			c.scratch.Put(s)
		}
	}()
	s.reset()
	fields, err := c.inflate(b, s.fields)
	if err != nil {
		return err
	}
	s.fields = fields
	r := reader{b: fields, mem: s, most: viewRoom(len(fields))}
	g := r.group()
	if r.vast {
		return ErrVast
	}
	if r.err != nil {
		return r.err
	}
	return look(g, sumOf(fields))
}

// Repack returns a group packed small, which every reader knows: b itself if it is already.
func (c *Codec) Repack(b []byte) ([]byte, error) {
	if len(b) > len(groupMagic) && b[len(groupMagic)] == packedSmall {
		return b, c.Verify(b)
	}
	buf := c.buffer()
	fields, err := c.inflate(b, *buf)
	if err != nil {
		return nil, err
	}
	defer c.keep(buf, fields)
	return c.exact(func(dst []byte) ([]byte, error) { return wrap(dst, fields, packedSmall, c.appendSmall), nil })
}

// AppendRenamed appends the encoded group b under another ID and environment. It does not
// decode the rest of the group, so it takes a small part of the time of Decode. The error is
// a [*FormatError].
func (c *Codec) AppendRenamed(dst, b []byte, id string, env int32) ([]byte, error) {
	e, err := open(b)
	if err != nil {
		return nil, err
	}
	buf, to := c.buffer(), c.buffer()
	fields, err := c.inflate(b, *buf)
	if err != nil {
		return nil, err
	}
	r, w := reader{b: fields}, writer{b: (*to)[:0]}
	r.text("id")
	r.envID()
	if r.err != nil {
		return nil, r.err
	}
	w.text(id)
	w.envID(&env)
	w.b = append(w.b, r.b...)
	pack := appendFast
	if len(e.packed) >= len(fields) {
		pack = appendPlain
	}
	dst = wrap(dst, w.b, packedFast, pack)
	c.keep(buf, fields)
	c.keep(to, w.b)
	return dst, nil
}

// Verify checks the checksum of b, at a small part of the cost of Decode. A body that passes
// is intact; only Decode says whether it is a group.
func (c *Codec) Verify(b []byte) error {
	_, err := unwrap(b)
	return err
}

// largeGroup is the size of a group, in bytes of memory, above which a processor stays free for
// others while such groups are encoded.
const largeGroup = 4 << 20

// maxKept is the largest buffer to keep for reuse, in bytes.
const maxKept = 4 << 20

// buffer returns a buffer, perhaps used; see keep.
func (c *Codec) buffer() *[]byte {
	if b, ok := c.buffers.Get().(*[]byte); ok {
		return b
	}
	return new([]byte)
}

// keep puts buffer b, grown to as, back for reuse.
func (c *Codec) keep(b *[]byte, as []byte) {
	if *b = as; cap(as) <= maxKept {
		c.buffers.Put(b)
	}
}
