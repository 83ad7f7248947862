package transformer

// A span is where the rows of one sequence stand: one for each of its tokens but the
// last. Sequences side by side that begin alike share the rows of that, which are then
// a span of their own.
type span struct {
	row, rows int // its own
	trunk     int // where those that it shares begin
	shared    int // how many these are: they come before its own
	probs     int // where its attention probabilities begin, within those of a layer
}

// all is the number of positions.
func (s span) all() int { return s.shared + s.rows }

// own and common are its rows of a matrix of all rows.
func (s span) own(m matrix) matrix    { return m.between(s.row, s.row+s.rows) }
func (s span) common(m matrix) matrix { return m.between(s.trunk, s.trunk+s.shared) }

// A shard is a run of spans with all that share rows with them.
type shard struct{ first, end, row, rows int }

// A plan lays out the rows of a batch.
type plan struct {
	heads   int
	batch   []span  // of each sequence
	spans   []span  // those and what they share, in the order of their rows
	shards  []shard // what one goroutine takes through all layers at a time
	tokens  []int32 // of each row
	next    []int32 // the token that follows it
	probsAt int     // floats of attention probabilities of one layer
	open    shard   // the one to come
}

// lay plans anew.
func (p *plan) lay(batch [][]int32) {
	*p = plan{heads: p.heads, batch: p.batch[:0], spans: p.spans[:0], shards: p.shards[:0], tokens: p.tokens[:0], next: p.next[:0]}
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
		p.open.end, p.open.rows = len(p.spans), len(p.tokens)-p.open.row
		if p.open.rows >= minShard || p.open.rows > 0 && len(batch) == 0 {
			p.shards = append(p.shards, p.open)
			p.open = shard{first: len(p.spans), row: len(p.tokens)}
		}
	}
}

// add gives a span rows for all of some tokens but the last.
func (p *plan) add(s span, tokens []int32) span {
	s.row, s.rows, s.probs = len(p.tokens), len(tokens)-1, p.probsAt
	p.probsAt += p.heads * s.rows * padded(s.all())
	p.tokens = append(p.tokens, tokens[:s.rows]...)
	p.next = append(p.next, tokens[1:]...)
	p.spans = append(p.spans, s)
	return s
}

// minShared is the number of rows from which sharing them is worth it.
const minShared = 8

// sharing returns how many of the first sequences of a batch share rows, and how many rows:
// those of the tokens that all of them have in common, but for the last of these, which
// the sequences are to predict different tokens from. Another sequence joins them where
// that makes more rows shared, though it may make the run of each shorter.
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

// inCommon is the number of tokens with which both sequences begin.
func inCommon(a, b []int32) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
