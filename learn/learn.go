// Package learn makes the optimiser's steps of reinforcement learning on a
// transformer, from groups of scored sequences.
//
// A [Learner] owns a model and its optimiser. [Learner.Step] takes the groups of one
// batch, with what their sampling said of them: log-probabilities, versions of the
// weights, scores or advantages. [Learner.Imitate] makes a supervised step, for a
// warm start. [Settings] choose the objective; the decoupled one, the default, bears
// groups that older weights sampled.
//
// The same steps from the same state give the same weights, bit for bit, in the same
// build of the program.
package learn
