package trace

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A Ref is the place of a record in a trace, valid until its segment is removed. The zero
// Ref is no record's.
type Ref struct {
	Segment int   `json:"segment"` // number of the file, from 1
	Block   int64 `json:"block"`   // offset of the block in the file
	Record  int   `json:"record"`  // number of the record in the block, from 0

	Source int `json:"source,omitempty"` // number of the source, from 0, if the trace has several
}

// Text writes the place for [ParseRef].
func (r Ref) Text() string {
	text := fmt.Sprintf("%d-%d-%d", r.Segment, r.Block, r.Record)
	if r.Source > 0 {
		text += fmt.Sprintf("-%d", r.Source)
	}
	return text
}

// ParseRef undoes [Ref.Text].
func ParseRef(text string) (r Ref, err error) {
	var parts [4]int64
	words := strings.Split(text, "-")
	if len(words) != 3 && len(words) != 4 {
		return r, fmt.Errorf("%q is not the place of a group", text)
	}
	for i, word := range words {
		n, err := strconv.ParseUint(word, 10, 62)
		if err != nil {
			return r, fmt.Errorf("%q is not the place of a group", text)
		}
		parts[i] = int64(n)
	}
	return Ref{int(parts[0]), parts[1], int(parts[2]), int(parts[3])}, nil
}

// An Entry is a record's entry in the index.
type Entry struct {
	Ref
	Group    string             `json:"group"` // its ID
	Task     string             `json:"task"`
	Level    int                `json:"level"` // see [Head.Level]
	Scenario string             `json:"scenario,omitempty"`
	Outcomes []quintain.Outcome `json:"outcomes"`       // of the episodes, each once
	Drop     string             `json:"drop,omitempty"` // why the group was dropped; empty: kept
	Version  int                `json:"version"`        // of the policy at Time
	Time     time.Time          `json:"time"`
	Episodes int                `json:"episodes"`
	Tokens   int                `json:"tokens"` // read and sampled, in all episodes
	Score    *float64           `json:"score"`  // mean over the episodes; nil: an episode has no reward
	Spread   *float64           `json:"spread"` // of the scores, to seven digits; see [Record.Spread]; nil: no scores, or unknown
}

// entryOf returns the entry of a record, without its Ref.
func entryOf(r *Record, group string) Entry {
	e := Entry{
		Group: group, Task: r.Problem.Task, Level: r.Problem.Level, Scenario: r.Problem.Scenario, Drop: r.Drop,
		Version: r.Version, Time: r.Time, Episodes: len(r.Episodes), Tokens: r.tokens(),
	}
	for i := range r.Episodes {
		if o := r.Episodes[i].Outcome; !slices.Contains(e.Outcomes, o) {
			e.Outcomes = append(e.Outcomes, o)
		}
	}
	if mean, scored := r.score(); scored {
		e.Score = &mean
	}
	if spread, scored := r.Spread(); scored {
		e.Spread = new(float64(float32(spread)))
	}
	return e
}

// The columns of an index, in their order.
const (
	colTime     = iota // nanoseconds since 1970
	colPrefix          // text: the group's ID without the number at its end
	colNumber          // the number at the end of the group's ID; -1: none
	colTask            // text
	colScenario        // text
	colDrop            // text
	colOutcomes        // a bit for each, lowest first, in the order of quintain.Outcomes
	colVersion
	colEpisodes
	colTokens
	colScore  // bits of the mean score, IEEE 754; NaN: none
	colSpread // bits of the spread as float32; -1: none, or unknown
	columns
)

// textColumns are the columns of indices of texts.
var textColumns = [...]int{colPrefix, colTask, colScenario, colDrop}

// splitID splits the number off the end of an ID; -1: none.
func splitID(id string) (prefix string, number int64) {
	at := len(id)
	for at > 0 && len(id)-at < 18 && id[at-1] >= '0' && id[at-1] <= '9' {
		at--
	}
	for at < len(id)-1 && id[at] == '0' { // a leading zero belongs to the text
		at++
	}
	if at == len(id) {
		return id, -1
	}
	number, _ = strconv.ParseInt(id[at:], 10, 64) // at most 18 digits
	return id[:at], number
}

// joinID undoes splitID.
func joinID(prefix string, number int64) string {
	if number < 0 {
		return prefix
	}
	return prefix + strconv.FormatInt(number, 10)
}

// outcomeBits returns a set of outcomes as a number; see colOutcomes.
func outcomeBits(list []quintain.Outcome) (bits int64) {
	for _, o := range list {
		if i := slices.Index(quintain.Outcomes, o); i >= 0 {
			bits |= 1 << i
		}
	}
	return bits
}

// rows is an index being written.
type rows struct {
	texts  []string
	places map[string]int64 // index of each text
	bytes  int              // of texts
	blocks [][2]int64       // offset and number of rows of each block

	count  int    // of rows
	packed []byte // the columns of each row as varints, for the whole segment
	time   int64  // of the last row; packed has differences
}

// put adds a row.
func (x *rows) put(row [columns]int64) {
	row[colTime], x.time = row[colTime]-x.time, row[colTime]
	row[colScore] = int64(bits.ReverseBytes64(uint64(row[colScore]))) // most scores end with zeros
	for _, v := range row {
		x.packed = binary.AppendVarint(x.packed, v)
	}
	x.count++
}

// all yields the rows.
func (x *rows) all(yield func([columns]int64) bool) {
	var row [columns]int64
	for rest := x.packed; len(rest) > 0; {
		before := row[colTime]
		for c := range row {
			v, n := binary.Varint(rest)
			row[c], rest = v, rest[n:]
		}
		row[colTime] += before
		row[colScore] = int64(bits.ReverseBytes64(uint64(row[colScore])))
		if !yield(row) {
			return
		}
	}
}

// text returns the index of a text, added if need be.
func (x *rows) text(s string) int64 {
	at, there := x.places[s]
	if !there {
		if x.places == nil {
			x.places = map[string]int64{}
		}
		at = int64(len(x.texts))
		x.places[s], x.texts = at, append(x.texts, s)
		x.bytes += len(s)
	}
	return at
}

// room estimates the largest size of the index in a file.
func (x *rows) room() int { return 256 + x.bytes + 16*len(x.blocks) + 47*x.count }

// add adds the row of an entry.
func (x *rows) add(e Entry) {
	prefix, number := splitID(e.Group)
	score, spread := math.NaN(), int64(-1)
	if e.Score != nil {
		score = *e.Score
	}
	if e.Spread != nil {
		spread = int64(math.Float32bits(float32(*e.Spread)))
	}
	x.put([columns]int64{
		colTime: e.Time.UnixNano(), colPrefix: x.text(prefix), colNumber: number,
		colTask: x.text(e.Task), colScenario: x.text(e.Scenario), colDrop: x.text(e.Drop),
		colOutcomes: outcomeBits(e.Outcomes), colVersion: int64(e.Version),
		colEpisodes: int64(e.Episodes), colTokens: int64(e.Tokens), colScore: int64(math.Float64bits(score)), colSpread: spread,
	})
}

// join adds the rows of another index.
func (x *rows) join(other *rows) {
	x.blocks = append(x.blocks, other.blocks...)
	for row := range other.all {
		for _, c := range textColumns {
			row[c] = x.text(other.texts[row[c]])
		}
		x.put(row)
	}
}

// take adds the rows of a decoded index.
func (x *rows) take(part *index) {
	x.blocks = append(x.blocks, part.Blocks...)
	for i := range part.Records {
		var row [columns]int64
		for c := range columns {
			row[c] = part.at(c, i)
		}
		for _, c := range textColumns {
			row[c] = x.text(part.text(c, i))
		}
		x.put(row)
	}
}

// indexHead is the JSON before the columns of an index.
type indexHead struct {
	Records int        `json:"records"`
	Texts   []string   `json:"texts"`
	Blocks  [][2]int64 `json:"blocks"` // offset of each block, and the number of its records

	// Spread is the column colSpread. It stands here, as readers ignore unknown fields but
	// not unknown columns. nil: an older program wrote the index.
	Spread []byte `json:"spread,omitempty"`
}

// pack returns the payload of the index's frame. It visits the rows once per column, which
// takes about 20 ms for a whole file, instead of holding them unpacked.
func (x *rows) pack(p *packer) []byte {
	values := make([]int64, 0, x.count)
	column := func(c int) []byte {
		values = values[:0]
		for row := range x.all {
			values = append(values, row[c])
		}
		return appendColumn(nil, values)
	}
	head, err := json.Marshal(indexHead{x.count, x.texts, x.blocks, column(colSpread)})
	if err != nil {
		panic(err) // cannot happen: strings and numbers
	}
	p.begin()
	p.put(binary.LittleEndian.AppendUint32(nil, uint32(len(head))))
	p.put(head)
	for c := range colSpread {
		p.put(column(c))
	}
	return p.end()
}

// An index is a decoded index. It holds the columns, and makes entries on demand.
type index struct {
	indexHead
	levels  []int // of the groups whose prefix is the text of the same number
	firsts  []int // number of the first row of each block
	columns [columns]column

	hidden []bool // rows of groups that another source has; nil: none
	hides  int    // their number
}

var errIndex = fmt.Errorf("%w: an index is incomplete", ErrDamaged)

// readIndex decodes an index. size is the file's, and bounds the blocks.
func readIndex(payload []byte, size int64) (*index, error) {
	if len(payload) < 4 {
		return nil, errIndex
	}
	n, rest := int64(binary.LittleEndian.Uint32(payload)), payload[4:]
	if n > int64(len(rest)) {
		return nil, errIndex
	}
	x := &index{}
	if err := strictjson.Unmarshal(rest[:n], &x.indexHead); err != nil {
		return nil, fmt.Errorf("%w: %w", errIndex, err)
	}
	rest = rest[n:]
	for c := range colSpread {
		var err error
		if x.columns[c], rest, err = readColumn(rest, x.Records); err != nil {
			return nil, err
		}
	}
	if len(rest) > 0 {
		return nil, errIndex
	}
	if err := x.readSpread(); err != nil {
		return nil, err
	}
	return x, x.check(size)
}

// readSpread reads the column of the head.
func (x *index) readSpread() (err error) {
	text := x.Spread
	if text == nil {
		x.columns[colSpread] = column{base: -1, n: x.Records, width: 1, planes: make([]byte, x.Records)}
		return nil
	}
	x.columns[colSpread], text, err = readColumn(text, x.Records)
	if err == nil && len(text) > 0 {
		err = errIndex
	}
	return err
}

// check reports blocks that are out of order or outside the file, or do not match the number
// of records.
func (x *index) check(size int64) error {
	first, before := int64(0), int64(0)
	for _, b := range x.Blocks {
		if b[0] <= before || b[0] >= size || b[1] < 0 || b[1] > int64(x.Records)-first {
			return fmt.Errorf("%w: a block at %d with %s", errIndex, b[0], stats.Count(b[1], "record"))
		}
		x.firsts = append(x.firsts, int(first))
		before, first = b[0], first+b[1]
	}
	if first != int64(x.Records) {
		return fmt.Errorf("%w: its blocks have %s, but it has %d", errIndex, stats.Count(first, "record"), x.Records)
	}
	return nil
}

// at returns the number in a column of row i.
func (x *index) at(col, i int) int64 { return x.columns[col].at(i) }

// place returns the index of a text.
func (x *index) place(text string) (at int64, there bool) {
	i := slices.Index(x.Texts, text)
	return int64(i), i >= 0
}

// text returns the text in a column of row i; empty if its index is invalid.
func (x *index) text(col, i int) string {
	if at := x.at(col, i); at >= 0 && at < int64(len(x.Texts)) {
		return x.Texts[at]
	}
	return ""
}

// call sets the levels of the groups.
func (x *index) call(h *Head) {
	x.levels = x.levels[:0]
	for _, text := range x.Texts {
		x.levels = append(x.levels, h.level(text))
	}
}

// level returns the level of row i.
func (x *index) level(i int) int {
	if at := x.at(colPrefix, i); at >= 0 && at < int64(len(x.levels)) {
		return x.levels[at]
	}
	return quintain.OwnParams
}

// entry returns the entry of row i in a block of the segment at a place.
func (x *index) entry(i, block int, at Ref) Entry {
	at.Block, at.Record = x.Blocks[block][0], i-x.firsts[block]
	e := Entry{
		Ref:   at,
		Group: joinID(x.text(colPrefix, i), x.at(colNumber, i)), Task: x.text(colTask, i), Level: x.level(i),
		Scenario: x.text(colScenario, i), Drop: x.text(colDrop, i),
		Version: int(x.at(colVersion, i)), Time: time.Unix(0, x.at(colTime, i)).UTC(),
		Episodes: int(x.at(colEpisodes, i)), Tokens: int(x.at(colTokens, i)),
	}
	bits := x.at(colOutcomes, i)
	for k, o := range quintain.Outcomes {
		if bits&(1<<k) != 0 {
			e.Outcomes = append(e.Outcomes, o)
		}
	}
	if score := math.Float64frombits(uint64(x.at(colScore, i))); !math.IsNaN(score) {
		e.Score = &score
	}
	if bits := x.at(colSpread, i); bits >= 0 {
		e.Spread = new(float64(math.Float32frombits(uint32(bits))))
	}
	return e
}
