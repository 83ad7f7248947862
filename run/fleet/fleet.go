// Package fleet lets many machines play for one run. The run's coordinator grants leases of
// problems over HTTP; workers, which hold no state, play whole groups and give them back.
// Grants and what becomes of them are part of the run's record, so they outlive the coordinator.
package fleet
