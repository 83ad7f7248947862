package transformer

// A span locates the rows of one sequence: one for each of its tokens but the last.
// Adjacent sequences with a common beginning share its rows, which form a span of their
// own. Rows before the trained part of a sequence, if any, form one too, of the plan of
// constant rows.
type span struct {
	row, rows int  // the sequence's own rows
	trunk     int  // the first shared row
	shared    int  // number of shared rows, before its own
	constant  bool // the shared rows are constant
	probs     int  // start of its attention probabilities among those of a layer
}

// all returns the number of positions.
func (s span) all() int { return s.shared + s.rows }

// own and common return its own and its shared rows of a matrix of all rows.
func (s span) own(m matrix) matrix    { return m.between(s.row, s.row+s.rows) }
func (s span) common(m matrix) matrix { return m.between(s.trunk, s.trunk+s.shared) }

// A shard is a run of spans that share rows only with each other.
type shard struct{ first, end, row, rows int }

// A plan lays out the rows of a batch.
type plan struct {
	heads   int
	batch   []span  // of each sequence
	spans   []span  // these and the shared ones, in row order
	shards  []shard // units of work: one goroutine takes a shard through all layers
	tokens  []int32 // of each row
	next    []int32 // the token after it
	probsAt int     // number of attention probabilities of one layer
	open    shard   // the shard being laid out
}

// reset removes all rows.
func (p *plan) reset() {
	*p = plan{heads: p.heads, batch: p.batch[:0], spans: p.spans[:0], shards: p.shards[:0], tokens: p.tokens[:0], next: p.next[:0]}
}

// lay plans a new batch, without constant rows.
func (p *plan) lay(batch [][]int32) {
	p.reset()
	for len(batch) > 0 {
		n, shared := sharing(batch)
		trunk := len(p.tokens)
		if shared > 0 {
			p.add(span{trunk: trunk}, batch[0][:shared+1])
		}
		for _, tokens := range batch[:n] {
			p.batch = append(p.batch, p.add(span{trunk: trunk, shared: shared}, tokens[shared:]))
		}
		batch = batch[n:]
		p.close(minShard, len(batch) == 0)
	}
}

// layAfter plans a new batch whose sequences begin with constant tokens, fixed[s] of sequence s. The row of the
// last of them is the sequence's own, since it predicts a token that is not constant. Those before are rows of
// constant, once for adjacent sequences with the same ones; there too, common beginnings share rows. A span
// finds them one after the other, in a matrix of as many rows as layAfter returns.
func (p *plan) layAfter(batch [][]int32, fixed []int, constant *plan) (rows int) {
	p.reset()
	trunk := span{constant: true}
	var beginnings [][]int32
	for s, tokens := range batch {
		shared := max(0, min(fixed[s], len(tokens))-1)
		if s == 0 || shared != trunk.shared || shared > 0 && inCommon(batch[s-1], tokens) <= shared {
			trunk.trunk, trunk.shared = rows, shared
			rows += shared
			if shared > 0 {
				beginnings = append(beginnings, tokens[:shared+1])
			}
		}
		p.batch = append(p.batch, p.add(trunk, tokens[shared:]))
	}
	p.close(0, true)
	constant.lay(beginnings)
	return rows
}

// close ends the open shard if it has at least some rows, or is the last.
func (p *plan) close(rows int, last bool) {
	p.open.end, p.open.rows = len(p.spans), len(p.tokens)-p.open.row
	if p.open.rows > 0 && (p.open.rows >= rows || last) {
		p.shards = append(p.shards, p.open)
		p.open = shard{first: len(p.spans), row: len(p.tokens)}
	}
}

// add gives a span a row for each of tokens but the last.
func (p *plan) add(s span, tokens []int32) span {
	s.row, s.rows, s.probs = len(p.tokens), len(tokens)-1, p.probsAt
	p.probsAt += p.heads * s.rows * padded(s.all())
	p.tokens = append(p.tokens, tokens[:s.rows]...)
	p.next = append(p.next, tokens[1:]...)
	p.spans = append(p.spans, s)
	return s
}

// minShared is the least number of shared rows that pays off.
const minShared = 8

// sharing returns how many of the first sequences of a batch share rows, and how many rows
// they share: the rows of their common first tokens but the last one, after which they
// predict different tokens. A sequence joins them if that saves more rows in total, even
// if each then shares fewer.
func sharing(batch [][]int32) (n, shared int) {
	for n = 1; n < len(batch); n++ {
		rows := inCommon(batch[0], batch[n]) - 1
		if n > 1 {
			rows = min(rows, shared)
		}
		if rows < minShared || n*rows < (n-1)*shared {
			break
		}
		shared = rows
	}
	return n, shared
}

// inCommon returns the number of first tokens that a and b have in common.
func inCommon(a, b []int32) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
