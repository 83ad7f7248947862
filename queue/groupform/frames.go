package groupform

import (
	"encoding/binary"
	"fmt"
)

// Frames is the content type of groups in their binary form, one after another:
//
//	8 bytes  sequence number of the group in the queue, little-endian; 0 in a request
//	4 bytes  size of what follows, little-endian
//	…        the group, as docs/formats/group.md describes it
const Frames = "application/vnd.quintain.groups"

// FrameHead is the number of bytes before each group in [Frames].
const FrameHead = 12

// AppendFrame appends a group in its binary form to [Frames]; seq is its sequence number,
// 0 in a request.
func AppendFrame(b []byte, seq uint64, body []byte) []byte {
	return append(AppendFrameHead(b, seq, len(body)), body...)
}

// AppendFrameHead appends what comes before a group of so many bytes in [Frames].
func AppendFrameHead(b []byte, seq uint64, size int) []byte {
	b = binary.LittleEndian.AppendUint64(b, seq)
	return binary.LittleEndian.AppendUint32(b, uint32(size))
}

// SplitFrames returns the groups of [Frames], at most that many, still in their binary
// form and in b's memory. The error is a [*FormatError].
func SplitFrames(b []byte, most int) ([][]byte, error) {
	var bodies [][]byte
	for len(b) > 0 {
		if len(b) < FrameHead {
			return nil, &FormatError{Field: "body", Why: "ends in the middle of the head of a group"}
		}
		size := binary.LittleEndian.Uint32(b[8:])
		if b = b[FrameHead:]; uint64(size) > uint64(len(b)) {
			return nil, &FormatError{Field: "body", Why: "ends in the middle of a group"}
		}
		if len(bodies) == most {
			return nil, &FormatError{Field: "body", Why: fmt.Sprintf("should have at most %d groups", most)}
		}
		bodies = append(bodies, b[:size])
		b = b[size:]
	}
	return bodies, nil
}
