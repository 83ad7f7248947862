package transformer

// A network is a model in the layout of the kernels: a [Pass] and a [Decoder] have one each.
type network struct {
	config  Config
	model   *Model
	head    linear
	last    []float32 // gains of the last normalisation; nil: none
	layers  []block
	rounded matrix    // the last left factor in pairs
	own     []packing // memory of the matrices that are trained
	back    []packing // memory of their transposes; of frozen pairs; one for all other frozen matrices
}

// A block is one layer of a network.
type block struct {
	qkv, out, up, down linear
	in, mid            []float32 // gains of the normalisations; nil: none
	q, k               []float32 // gains of those of queries and keys; nil: these are not normalised
	share              []float32 // how much attention reads of the preceding token; nil: nothing
}

// linears lists the matrices of a network, the head first.
func (n *network) linears() []*linear {
	list := []*linear{&n.head}
	for i := range n.layers {
		b := &n.layers[i]
		list = append(list, &b.qkv, &b.out, &b.up, &b.down)
	}
	return list
}

// newNetwork returns a network for models of m's sizes, and with m's frozen tensors. load fills in the rest.
func newNetwork(m *Model) *network {
	n := &network{config: m.config, model: m, layers: make([]block, m.config.Layers)}
	if m.base != nil {
		n.adapt(m)
		return n
	}
	n.own = make([]packing, 1+4*len(n.layers))
	for i, l := range n.linears() {
		l.w = &n.own[i]
	}
	return n
}

// adapt sets all that does not change in training.
func (n *network) adapt(m *Model) {
	c := m.config
	n.head.w, n.last = m.base.head, m.base.last
	for _, l := range n.linears() {
		l.rounded = &n.rounded
	}
	for i := range n.layers {
		b, from := &n.layers[i], &m.base.layers[i]
		b.in, b.mid, b.q, b.k, b.qkv.bias = from.in, from.mid, from.q, from.k, from.biases
		at := i * layerAdapters
		b.qkv.w, b.out.w, b.up.w, b.down.w = &from.qkv, &from.out, &from.up, &from.down
		b.qkv.adapt(c, at+adapterQKV, 0, c.mixedWidth(), c.turnedWidth())
		b.out.adapt(c, at+adapterOut, 0)
		b.up.adapt(c, at+adapterGateUp, 0, c.Hidden)
		b.down.adapt(c, at+adapterDown, 0)
	}
}

// adapt gives a linear its adapters: tensors from the given one on, whose second matrices begin at columns.
func (l *linear) adapt(c Config, tensor int, columns ...int) {
	l.scale = float32(c.Alpha / float64(c.Rank))
	l.down = adapter{tensor: tensor}
	for i, at := range columns {
		l.ups = append(l.ups, adapter{at: at, tensor: tensor + 1 + i})
	}
}

// load reads the trained tensors of m, with their transposes if both ways are wanted. Frozen pairs are
// transposed at the first such call; other frozen matrices, which are twice as large, at each use.
func (n *network) load(m *Model, both bool, t team) {
	n.model = m
	list := n.linears()
	if both && n.back == nil {
		n.back = make([]packing, len(list))
		for i, l := range list {
			if l.lent = m.base != nil && !m.config.BFloat16; l.lent {
				i = 0
			}
			l.flipped = &n.back[i]
		}
		if m.base != nil && m.config.BFloat16 {
			t.each(len(list), func(worker, i int) { list[i].flipped.flip(list[i].w, team{worker: worker}) })
		}
	}
	if m.base == nil {
		for i := range n.layers {
			n.layers[i].share = m.layer(i)[tensorShift].Data
		}
	}
	t.each(len(list), func(_, i int) { n.pack(i, list[i], both) })
}

// pack reads the trained tensors of one linear.
func (n *network) pack(i int, l *linear, both bool) {
	m := n.model
	switch {
	case m.base != nil:
		for _, a := range l.adapters() {
			from := m.tensors[a.tensor].matrix()
			a.w.pack(from)
			if both {
				a.flipped.packTransposed(from)
			}
		}
	case i == 0: // of the head, rows are outputs
		from := m.head().matrix()
		l.w.packTransposed(from)
		if both {
			l.flipped.pack(from)
		}
	default:
		from := m.layer((i - 1) / 4)[(i-1)%4].matrix()
		l.w.pack(from)
		if both {
			l.flipped.packTransposed(from)
		}
	}
}

// adapters lists the matrices of the adapters.
func (l *linear) adapters() (list []*adapter) {
	if l.ups == nil {
		return nil
	}
	list = append(list, &l.down)
	for i := range l.ups {
		list = append(list, &l.ups[i])
	}
	return list
}

// embed stores the embedding of a token in to.
func (n *network) embed(to []float32, token int32) {
	b := n.model.base
	if b == nil {
		copy(to, n.model.embed().matrix().row(int(token)))
		return
	}
	if b.embed.pairs {
		for k := range to {
			to[k] = b.embed.get(k, int(token))
		}
		return
	}
	panel, col := b.embed.panel(int(token)/lanes), int(token)%lanes
	for k := range to {
		to[k] = panel.data[k*lanes+col]
	}
}
