// Package quintain holds the nouns of the system: what a problem, a verdict, an
// episode, a trajectory and a group are, and what a task, a scenario and a
// policy promise.
//
// Data flows like this:
//
//	Draw → Problem → Env ⇄ Policy (Turn, Turn, …) → Trajectory → Group → queue → trainer
//
// A [Draw] names a [Problem] of a [Task]. An [Env] plays it with a [Policy] as
// one episode, whose record is a [Trajectory]. A [Group] is several trajectories
// of one problem: the unit of training and of the queue.
//
// The package imports only the standard library. It opens no file, starts no
// goroutine and reads no clock.
package quintain
