package queue

// StoreOf points to the store of q.
func (q *Queue) StoreOf() *Store { return &q.store }
