package groupform

import (
	"encoding/binary"
	"fmt"
)

// Frames is the content type of groups in binary form, one after another:
//
//	8 bytes  sequence number of the group in the queue, little-endian; 0 in a request
//	4 bytes  size of the group, little-endian
//	…        the group; see docs/formats/group.md
const Frames = "application/vnd.quintain.groups"

// FrameHead is the number of bytes before each group in [Frames].
const FrameHead = 12

// AppendFrame appends an encoded group with its sequence number, 0 in a request, to
// [Frames].
func AppendFrame(b []byte, seq uint64, body []byte) []byte {
	return append(AppendFrameHead(b, seq, len(body)), body...)
}

// AppendFrameHead appends the bytes before a group of size bytes to [Frames].
func AppendFrameHead(b []byte, seq uint64, size int) []byte {
	b = binary.LittleEndian.AppendUint64(b, seq)
	return binary.LittleEndian.AppendUint32(b, uint32(size))
}

// SplitFrames returns the groups of [Frames], at most most, still encoded and in b's memory.
// The error is a [*FormatError].
func SplitFrames(b []byte, most int) ([][]byte, error) {
	var bodies [][]byte
	for len(b) > 0 {
		if len(b) < FrameHead {
			return nil, &FormatError{Field: "body", Why: "ends within the head of a group"}
		}
		size := binary.LittleEndian.Uint32(b[8:])
		if b = b[FrameHead:]; uint64(size) > uint64(len(b)) {
			return nil, &FormatError{Field: "body", Why: "ends within a group"}
		}
		if len(bodies) == most {
			return nil, &FormatError{Field: "body", Why: fmt.Sprintf("has more than %d groups", most)}
		}
		bodies = append(bodies, b[:size])
		b = b[size:]
	}
	return bodies, nil
}
