// Package sets has what package slices lacks for lists whose values, or their keys, are there once.
package sets

import "slices"

// Of is the set of a list's values.
func Of[T comparable](list []T) map[T]bool {
	set := make(map[T]bool, len(list))
	for _, v := range list {
		set[v] = true
	}
	return set
}

// Union has the values of both lists, each once. Neither list is changed.
func Union[T comparable](a, b []T) []T { return With(slices.Clone(a), b...) }

// With appends the values that a list lacks, each once.
func With[T comparable](list []T, values ...T) []T {
	if len(values) > few {
		has := Of(list)
		return append(list, Once(slices.DeleteFunc(slices.Clone(values), func(v T) bool { return has[v] }))...)
	}
	for _, v := range values {
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// few are values that are compared one by one sooner than a set is made.
const few = 8

// Once has the values of a list, each once, in the order of the first of each.
func Once[T comparable](list []T) (once []T) {
	seen := map[T]bool{}
	for _, v := range list {
		if !seen[v] {
			seen[v], once = true, append(once, v)
		}
	}
	return once
}

// Groups puts values together that have the same key, in the order of the first of each.
func Groups[T any, K comparable](list []T, key func(T) K) (groups [][]T) {
	at := map[K]int{}
	for _, v := range list {
		i, known := at[key(v)]
		if !known {
			i = len(groups)
			at[key(v)], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], v)
	}
	return groups
}
