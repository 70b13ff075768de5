// Package upkeep finishes what hooks left undone, removes what nothing needs, and diagnoses.
package upkeep
