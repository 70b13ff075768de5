// Package generated tells the files that programs write from those that people and agents write.
package generated

import (
	"path"
	"slices"

	"entire-plumb/gitexec"
)

// Names of the attributes that say so, as GitHub's linguist has them.
const (
	Attribute = "linguist-generated"
	Vendored  = "linguist-vendored"
)

// locks are the files in which package managers write down what they chose.
var locks = []string{
	"Cargo.lock", "Cartfile.resolved", "Gemfile.lock", "Package.resolved", "Pipfile.lock", "Podfile.lock", "bun.lock", "bun.lockb",
	"composer.lock", "conan.lock", "deno.lock", "flake.lock", "go.sum", "go.work.sum", "gradle.lockfile", "mix.lock",
	"npm-shrinkwrap.json", "package-lock.json", "packages.lock.json", "pdm.lock", "pnpm-lock.yaml", "poetry.lock", "pubspec.lock",
	"uv.lock", "yarn.lock", ".terraform.lock.hcl",
}

// Is decides whether a file is generated or vendored, by what git says of the two attributes. What
// an attribute says outranks the file's name: "linguist-generated=false" makes a lock file count.
func Is(file gitexec.Path, attributes map[string]string) bool {
	said := []string{attributes[Attribute], attributes[Vendored]}
	switch {
	case slices.ContainsFunc(said, isSet):
		return true
	case slices.ContainsFunc(said, isUnset):
		return false
	}
	return slices.Contains(locks, path.Base(string(file)))
}

// isSet and isUnset read an attribute's value, as git prints it: "set" and "unset" where the line
// has no value of its own.
func isSet(value string) bool { return value == "set" || value == "true" }

func isUnset(value string) bool { return value == "unset" || value == "false" }
