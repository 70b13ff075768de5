package main

import (
	"fmt"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"entire-plumb/internal/testserver"
)

// servers are the scripts' servers, by the scripts' directories.
var servers sync.Map

// server is the verb server: it starts a server for the repositories of the script, and has it
// behave in another way; $SERVER is its address. The program's own replay has no such verb, and the
// condition of that name is false there.
func server(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("a server can't be expected to fail")
	}
	root := ts.Getenv("WORK")
	found, started := servers.Load(root)
	if !started {
		s, err := testserver.Start(root)
		ts.Check(err)
		servers.Store(root, s)
		ts.Defer(func() { servers.Delete(root); s.Close() })
		ts.Setenv("SERVER", s.URL)
		found = s
	}
	s := found.(*testserver.Server)
	switch {
	case len(args) == 1 && args[0] == "wait":
		s.Wait()
	case len(args) == 1 && args[0] == "count":
		requests, connections := s.Counts()
		fmt.Fprintf(ts.Stdout(), "%d requests, %d connections\n", requests, connections)
	default:
		mode, err := testserver.Parse(args)
		ts.Check(err)
		s.Set(mode)
		s.Counts()
	}
}
