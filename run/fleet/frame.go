package fleet

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/run/rollout"
)

// Frame is the content type of a finish, or of turns, whose numbers and replies are not JSON, which takes
// long to read:
//
//   - four bytes with the length of the JSON of the [Finish] or the [Turns], and that JSON, in which the
//     turns have no reply, tokens, log-probabilities and versions
//   - for each turn of each episode: the lists Read and Wrote, as four bytes with their length
//     and four bytes for each element; LogProbs, likewise; Versions, likewise; and the reply, as four bytes
//     with its length and its text
//
// All numbers are little-endian. In place of a length, [unknown] stands for a nil list, and
// [alike] before one version for a list as long as Wrote of that version alone.
const Frame = "application/vnd.quintain.finish"

// Marks in place of a length.
const (
	unknown = math.MaxUint32
	alike   = math.MaxUint32 - 1
)

// AppendFrame appends a finish as a [Frame].
func AppendFrame(b []byte, f *Finish) ([]byte, error) {
	head := struct {
		*Finish
		Episodes []headEpisode `json:"episodes,omitempty"`
	}{Finish: f}
	for _, t := range f.episodes() {
		head.Episodes = append(head.Episodes, headOf(t))
	}
	return appendFrame(b, head, f.episodes())
}

// AppendTurns appends turns in the form of a [Frame].
func AppendTurns(b []byte, t *Turns) ([]byte, error) {
	type begun struct {
		rollout.Begun
		Episode headEpisode `json:"episode"`
	}
	head := struct {
		*Turns
		Episodes []begun `json:"episodes"`
	}{Turns: t}
	for i, one := range t.Episodes {
		head.Episodes = append(head.Episodes, begun{one, headOf(&t.Episodes[i].Episode)})
	}
	return appendFrame(b, head, t.episodes())
}

func (f *Finish) episodes() (all []*quintain.Trajectory) {
	for i := range f.Episodes {
		all = append(all, &f.Episodes[i])
	}
	return all
}

func (t *Turns) episodes() (all []*quintain.Trajectory) {
	for i := range t.Episodes {
		all = append(all, &t.Episodes[i].Episode)
	}
	return all
}

// A headEpisode is an episode as the JSON of a frame has it. Its fields hide those of the trajectory.
type headEpisode struct {
	*quintain.Trajectory
	Problem *quintain.Problem `json:"problem,omitempty"`
	Turns   []headTurn        `json:"turns"`
}

// A headTurn is a turn without what follows the JSON.
type headTurn struct {
	*quintain.Turn
	Observed []quintain.Message `json:"observed,omitempty"`
	Reply    *struct{}          `json:"reply,omitempty"`
	Read     *struct{}          `json:"read,omitempty"`
	Wrote    *struct{}          `json:"wrote,omitempty"`
	LogProbs *struct{}          `json:"logprobs,omitempty"`
	Versions *struct{}          `json:"versions,omitempty"`
}

func headOf(t *quintain.Trajectory) headEpisode {
	head := headEpisode{Trajectory: t}
	if t.Problem.Task != "" {
		head.Problem = &t.Problem
	}
	for k := range t.Turns {
		head.Turns = append(head.Turns, headTurn{Turn: &t.Turns[k], Observed: t.Turns[k].Observed})
	}
	return head
}

// appendFrame appends a head as JSON, and what follows it of episodes.
func appendFrame(b []byte, head any, episodes []*quintain.Trajectory) ([]byte, error) {
	text, err := json.Marshal(head)
	if err != nil {
		return nil, err
	}
	b = append(binary.LittleEndian.AppendUint32(b, uint32(len(text))), text...)
	for _, t := range episodes {
		for k := range t.Turns {
			turn := &t.Turns[k]
			b = appendNumbers(b, turn)
			b = append(binary.LittleEndian.AppendUint32(b, uint32(len(turn.Reply))), turn.Reply...)
		}
	}
	return b, nil
}

// appendNumbers appends the numbers of a turn.
func appendNumbers(b []byte, t *quintain.Turn) []byte {
	b = appendInts(appendInts(b, t.Read), t.Wrote)
	b = appendLength(b, t.LogProbs)
	for _, v := range t.LogProbs {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	another := func(v int32) bool { return v != t.Versions[0] }
	if n := len(t.Versions); n > 0 && n == len(t.Wrote) && !slices.ContainsFunc(t.Versions, another) {
		return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b, alike), uint32(t.Versions[0]))
	}
	return appendInts(b, t.Versions)
}

func appendLength[T any](b []byte, list []T) []byte {
	if list == nil {
		return binary.LittleEndian.AppendUint32(b, unknown)
	}
	return binary.LittleEndian.AppendUint32(b, uint32(len(list)))
}

func appendInts[T ~int32](b []byte, list []T) []byte {
	b = appendLength(b, list)
	for _, v := range list {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return b
}

// ReadFrame reads a [Frame], and keeps nothing of b.
func ReadFrame(b []byte) (f Finish, err error) {
	err = readFrame(b, func(text []byte) error { return strictjson.Unmarshal(text, &f) }, f.episodes)
	return f, err
}

// ReadTurns reads turns in the form of a [Frame], and keeps nothing of b.
func ReadTurns(b []byte) (t Turns, err error) {
	err = readFrame(b, func(text []byte) error { return strictjson.Unmarshal(text, &t) }, t.episodes)
	return t, err
}

// readFrame reads a head by read, and what follows it of its episodes.
func readFrame(b []byte, read func(text []byte) error, episodes func() []*quintain.Trajectory) error {
	r := numbers{b}
	n, err := r.next()
	if err != nil || int64(n) > int64(len(r.left)) {
		return errShort
	}
	if err := read(r.left[:n]); err != nil {
		return err
	}
	r.left = r.left[n:]
	for i, t := range episodes() {
		for k := range t.Turns {
			err := r.turn(&t.Turns[k])
			if err == nil {
				t.Turns[k].Reply, err = r.text()
			}
			if err != nil {
				return fmt.Errorf("episodes[%d].turns[%d]: %w", i, k, err)
			}
		}
	}
	if len(r.left) > 0 {
		return fmt.Errorf("%d bytes follow the last turn", len(r.left))
	}
	return nil
}

// errShort says that a frame is cut off.
var errShort = errors.New("the frame ends too early")

// numbers are those at the front of a frame.
type numbers struct{ left []byte }

func (r *numbers) next() (uint32, error) {
	if len(r.left) < 4 {
		return 0, errShort
	}
	v := binary.LittleEndian.Uint32(r.left)
	r.left = r.left[4:]
	return v, nil
}

// turn reads the numbers of a turn.
func (r *numbers) turn(t *quintain.Turn) (err error) {
	if t.Read, err = list(r, toInt[quintain.Token]); err != nil {
		return err
	}
	if t.Wrote, err = list(r, toInt[quintain.Token]); err != nil {
		return err
	}
	if t.LogProbs, err = list(r, math.Float32frombits); err != nil {
		return err
	}
	if len(r.left) >= 8 && binary.LittleEndian.Uint32(r.left) == alike {
		one := int32(binary.LittleEndian.Uint32(r.left[4:]))
		r.left = r.left[8:]
		t.Versions = slices.Repeat([]int32{one}, len(t.Wrote))
		return nil
	}
	t.Versions, err = list(r, toInt[int32])
	return err
}

// text reads a text.
func (r *numbers) text() (string, error) {
	n, err := r.next()
	if err != nil || int64(n) > int64(len(r.left)) {
		return "", errShort
	}
	text := string(r.left[:n])
	r.left = r.left[n:]
	return strings.ToValidUTF8(text, "\ufffd"), nil
}

func toInt[T ~int32](v uint32) T { return T(v) }

// list reads a list; its elements are made of four bytes by of.
func list[T any](r *numbers, of func(uint32) T) ([]T, error) {
	n, err := r.next()
	if err != nil || n == unknown {
		return nil, err
	}
	if int64(n) > int64(len(r.left)/4) {
		return nil, errShort
	}
	all := make([]T, n)
	for i := range all {
		all[i] = of(binary.LittleEndian.Uint32(r.left[4*i:]))
	}
	r.left = r.left[4*n:]
	return all, nil
}
