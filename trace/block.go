package trace

import (
	"encoding/binary"
	"fmt"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
)

// A block collects records to be written: the JSON of all, and the columns of their tokens
// and log-probabilities.
type block struct {
	text     jsonText
	tokens   []quintain.Token
	logProbs []uint32 // as bits
	shares   []share
	index    rows
}

// A share is the size of one record's part of a block.
type share struct {
	json     int // bytes
	tokens   int
	logProbs int
}

const shareSize = 12 // bytes of a share in a payload

// fits refuses a record with more runs than a reader accepts: a few bytes must not become
// large lists.
func (s share) fits(runs int) error {
	if most := 1<<16 + 64*(s.json+s.tokens); runs > most {
		return fmt.Errorf("has %d versions and advantages, want at most %d for %s", runs, most, stats.Count(s.tokens, "token"))
	}
	return nil
}

// size is the size of the block in bytes before compression.
func (b *block) size() int {
	return 4 + 2*columnHead + shareSize*len(b.shares) + len(b.text.b) + 4*len(b.tokens) + 4*len(b.logProbs)
}

// reset empties the block, and frees its memory if that is large.
func (b *block) reset() {
	if b.size() > 4<<20 {
		*b = block{}
		return
	}
	*b = block{
		text: jsonText{b: b.text.b[:0]}, tokens: b.tokens[:0], logProbs: b.logProbs[:0], shares: b.shares[:0],
		index: rows{packed: b.index.packed[:0]},
	}
}

// add adds a record. After an error, which names the field, the block is unchanged.
func (b *block) add(r *Record) error {
	was := share{len(b.text.b), len(b.tokens), len(b.logProbs)}
	e := encoder{block: b, record: r, group: r.Group()}
	e.encode()
	is := share{len(b.text.b) - was.json, len(b.tokens) - was.tokens, len(b.logProbs) - was.logProbs}
	if err := b.check(is, e.runs); err != nil {
		b.text = jsonText{b: b.text.b[:was.json]}
		b.tokens, b.logProbs = b.tokens[:was.tokens], b.logProbs[:was.logProbs]
		return fmt.Errorf("group %s: %w", e.group, err)
	}
	b.shares = append(b.shares, is)
	b.index.add(entryOf(r, e.group))
	return nil
}

// check reports why the record just added, of size is and with so many runs, is invalid.
func (b *block) check(is share, runs int) error {
	if b.text.err != nil {
		return b.text.err
	}
	if err := is.fits(runs); err != nil {
		return err
	}
	if b.size() > maxPayload {
		return fmt.Errorf("takes more than %d MiB", maxPayload>>20)
	}
	return nil
}

// pack returns the payload of the block's frame.
func (b *block) pack(p *packer) []byte {
	head := binary.LittleEndian.AppendUint32(nil, uint32(len(b.shares)))
	for _, s := range b.shares {
		for _, n := range []int{s.json, s.tokens, s.logProbs} {
			head = binary.LittleEndian.AppendUint32(head, uint32(n))
		}
	}
	least := quintain.Token(0)
	for _, t := range b.tokens {
		least = min(least, t)
	}
	p.begin()
	p.put(head)
	p.put(b.text.b)
	putColumn(p, b.tokens, int64(least), p.alike)
	putColumn(p, b.logProbs, 0, p.noise)
	return p.end()
}
