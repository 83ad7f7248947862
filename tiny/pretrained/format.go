package pretrained

// Format names the type of most weights in the file, such as Q4_1.
func (m *Model) Format() string {
	sizes, most := map[string]int64{}, ""
	for _, w := range m.weights {
		if kind := w.kind.String(); kind != "" {
			sizes[kind] += w.raw.Size()
		}
	}
	for kind, size := range sizes {
		if size > sizes[most] || size == sizes[most] && kind < most {
			most = kind
		}
	}
	return most
}
