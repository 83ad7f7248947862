package queue

// StoreOf is where q has its store.
func (q *Queue) StoreOf() *Store { return &q.store }
