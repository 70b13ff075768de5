#!/bin/sh
# Brings gitleaks' rules, and their licence, here from the Go module of this version.
set -e
version=v8.30.1
dir=$(go mod download -json github.com/zricethezav/gitleaks/v8@$version | sed -n 's/^[[:space:]]*"Dir": "\(.*\)",$/\1/p')
for file in config/gitleaks.toml LICENSE; do
	case $file in LICENSE) to=gitleaks.LICENSE ;; *) to=gitleaks.toml ;; esac
	cat "$dir/$file" >$to
done
