package journal

import (
	"encoding/binary"
	"hash/crc32"
)

// A frame is a head, the session, and the data; see docs/formats/sessions.md.
const (
	frameMagic = "QNrc"
	headLen    = 28 // before the session
)

// The flags of a frame.
const (
	flagMore   = 1 // the next frame belongs to the same append
	flagForget = 2 // the session's records up to here are forgotten; no data
)

// A head describes a frame.
type head struct {
	session     string
	kind, flags byte
	data        uint32 // bytes
	batch       uint32 // offset of the first frame of the same write
	sum         uint32 // of the data
}

// size is the size of the frame in bytes.
func (h head) size() int64 { return headLen + int64(len(h.session)) + int64(h.data) }

// appendTo appends the frame without its data. Salt is the file's, and at the frame's offset in it.
func (h head) appendTo(b []byte, salt uint32, at int64) []byte {
	from := len(b)
	b = append(b, frameMagic...)
	b = binary.LittleEndian.AppendUint32(b, h.data)
	b = binary.LittleEndian.AppendUint32(b, h.batch)
	b = binary.LittleEndian.AppendUint32(b, h.sum)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(h.session)))
	b = append(b, h.kind, h.flags, 0, 0)
	b = append(b, 0, 0, 0, 0)
	b = append(b, h.session...)
	binary.LittleEndian.PutUint32(b[from+24:], headSum(b[from:], salt, at))
	return b
}

// headSum is the checksum of a head with its session, without the sum's own bytes. With the file's
// salt neither the data of a record can pass for a frame nor the frame of another file, and with
// its offset no copy of a frame can.
func headSum(b []byte, salt uint32, at int64) uint32 {
	sum := crc32.Update(salt, castagnoli(), binary.LittleEndian.AppendUint32(nil, uint32(at)))
	return crc32.Update(crc32.Update(sum, castagnoli(), b[:24]), castagnoli(), b[headLen:])
}

// parseHead reads the head at the start of b, which is at an offset of its file, if there is
// an intact one.
func parseHead(b []byte, salt uint32, at int64) (h head, ok bool) {
	if len(b) < headLen || string(b[:4]) != frameMagic {
		return h, false
	}
	n := binary.LittleEndian.Uint32(b[16:])
	if n > MaxSession || int(n) > len(b)-headLen {
		return h, false
	}
	b = b[:headLen+n]
	h = head{
		session: string(b[headLen:]), kind: b[20], flags: b[21], data: binary.LittleEndian.Uint32(b[4:]),
		batch: binary.LittleEndian.Uint32(b[8:]), sum: binary.LittleEndian.Uint32(b[12:]),
	}
	return h, h.data <= MaxData && headSum(b, salt, at) == binary.LittleEndian.Uint32(b[24:])
}

// sumOf is the checksum of data.
func sumOf(data []byte) uint32 { return crc32.Checksum(data, castagnoli()) }

// castagnoli is the table of CRC-32C, which processors compute.
func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }
