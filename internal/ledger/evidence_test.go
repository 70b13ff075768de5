package ledger

// evidence are stories that also say by which rule each line of the last version was found: "by f".
var evidence = []story{
	{"an empty line that is added belongs to whoever adds it", `
base  f | first old line
s1    f | first old line |  | written by one
human f |  | first old line |  | written by one
=     f | human base s1 s1
by    f | new order order order`},
	{"lines change places", `
base  f | first old line
s1    f | first old line | one of one | two of one
human f | two of one | first old line | one of one
=     f | s1 base s1
by    f | back order order`},
	{"a line is deleted", `
s1    f | one of one | two of one | three of one
human f | one of one | three of one
=     f | s1 s1
by    f | order order`},
	{"two turns write the same line", `
s1    f | written by one
s2    f | written by one | written by one
=     f | s1 s2
by    f | order new`},
	{"a turn replaces a line of another one", `
s1    f | one of one | two of one
s2    f | one of one | two of two
=     f | s1 s2
by    f | order new`},
	{"a turn replaces the human's line", `
human f | one by hand | two by hand
s1    f | one by hand | two of one
=     f | human s1
by    f | order new`},
	{"a line of the base that comes back", `
base  f | first old line | second old line
s1    f | first old line
human f | first old line | something new | second old line
=     f | base human base
by    f | order new back`},
	{"a line of an earlier version comes back, not of the last one", `
s1    f | keep this line | written by one
s2    f | keep this line
s3    f | keep this line | written by three
human f | keep this line | in between | written by one
=     f | s1 modified s1
by    f | order new back`},
	{"lines of two versions come back together", `
s1    f | keep this line | written by one
s2    f | keep this line | written by two
human f | keep this line
human f | keep this line | in between | written by two | written by one
=     f | s1 human s2 s1
by    f | order new back back`},
	{"the latest version that has a line says whose it is", `
s1    f | keep this line | written by one
human f | keep this line
s2    g | written by one
human f | keep this line | something else | written by one
=     f | s1 human s1
by    f | order new back`},
	{"a line that comes back in another form is new", `
s1    f | keep this line | const name = 'parser'
human f | keep this line
human f | keep this line | something else | const name = "parser";
=     f | s1 human human
by    f | order new new`},
	{"a line that comes back with other white space", `
s1    f | keep this line | const name = 'parser'
human f | keep this line
human f | keep this line | something else | 	const  name='parser'
=     f | s1 human s1
by    f | order new back`},
	{"half a block comes back", `
s1    f | keep this line | one of one | two of one | three of one
human f | keep this line
human f | keep this line | by hand here | two of one
=     f | s1 human s1
by    f | order new back`},
	{"short lines come back in another order", `
s1    f | keep this line | one | two
human f | keep this line
human f | keep this line | by hand here | two | one
=     f | s1 human human human
by    f | order new new new`},
	{"short lines come back apart", `
s1    f | keep this line | one | two
human f | keep this line
human f | keep this line | one | by hand here | two
=     f | s1 human human human
by    f | order new new new`},
	{"a short line comes back beside a long one", `
s1    f | keep this line | ab | written by one
human f | keep this line
human f | keep this line | by hand here | ab | written by one
=     f | s1 human s1 s1
by    f | order new back back`},
	{"braces around a line that comes back", `
s1    f | keep this line | { | written by one | }
human f | keep this line
human f | keep this line | by hand here | { | written by one | }
=     f | s1 human s1 s1 s1
by    f | order new back back back`},
	{"a brace two lines away", `
s1    f | keep this line | written by one
human f | keep this line
human f | keep this line | written by one | by hand here | }
=     f | s1 s1 human human
by    f | order back new new`},
	{"braces in a row beside a line that comes back", `
s1    f | keep this line | written by one
human f | keep this line
human f | keep this line | by hand here | written by one | } | } | }
=     f | s1 human s1 s1 s1 s1
by    f | order new back beside beside beside`},
	{"braces between lines of two", `
s1    f | keep this line | one of one
s2    f | keep this line | one of two
human f | keep this line
human f | keep this line | by hand here | one of one | } | one of two
=     f | s1 human s1 s1 s2
by    f | order new back beside back`},
	{"braces above a line that comes back", `
s1    f | keep this line | written by one
human f | keep this line
human f | keep this line | by hand here | { | { | written by one
=     f | s1 human s1 s1 s1
by    f | order new beside beside back`},
	{"a brace above the first line, which comes back", `
s1    f | keep this line | written by one
human f | keep this line
human f | { | written by one | by hand here | keep this line
=     f | s1 s1 human s1
by    f | beside back new order`},
	{"a brace below the first line, which comes back", `
s1    f | keep this line | written by one
human f | keep this line
human f | written by one | } | by hand here | keep this line
=     f | s1 s1 human s1
by    f | back beside new order`},
	{"a line is split in two", `
s1    f | keep this line | if first && second && third {
human f | keep this line | if first && | second && third {
=     f | s1 s1 s1
by    f | order form form`},
	{"two lines are joined and one follows", `
s1    f | alpha beta | gamma delta | epsilon zeta
human f | alpha beta gamma delta | epsilon zeta
=     f | s1 s1
by    f | form order`},
	{"words in another order are new", `
s1    f | alpha beta gamma
human f | gamma beta alpha
=     f | modified
by    f | new`},
	{"a comment is begun in another way", `
s1    f | // one of the comments here
human f | # one of the comments here
=     f | s1
by    f | form`},
	{"a line becomes a comment", `
s1    f | result = combine(first, second)
human f | // result = combine(first, second)
=     f | s1
by    f | form`},
	{"a number is another", `
s1    f | timeout = 30 seconds
human f | timeout = 60 seconds
=     f | modified
by    f | new`},
	{"an operator is another", `
s1    f | if first < second {
human f | if first > second {
=     f | modified
by    f | new`},
	{"a formatted line with one of the human's in between", `
s1    f | call(alpha, beta); | call(gamma, delta);
human f | call(alpha, | beta) | by hand here | call(gamma, | delta)
=     f | s1 s1 human s1 s1
by    f | form form new form form`},
	{"a line formatted, and another one new", `
s1    f | call(alpha, beta)
human f | call( | alpha, | beta | ) | call(gamma)
=     f | s1 s1 s1 s1 human
by    f | form form form beside new`},
	{"two places are formatted, each by itself", `
s1    f | call(alpha, beta) | keep this line | call(gamma, delta)
human f | call( | alpha, beta) | keep this line | call( | gamma, delta)
=     f | s1 s1 s1 s1 s1
by    f | form form order form form`},
	{"words of one place are not those of another", `
s1    f | call(alpha, beta) | keep this line | call(gamma, delta)
human f | call(gamma, beta) | keep this line | call(alpha, delta)
=     f | modified s1 modified
by    f | new order new`},
	{"a turn formats the human's lines", `
human f | const name = 'parser' | const kind = 'lexer'
s1    f | const name = "parser"; | const kind = "lexer"; | const other = "more";
=     f | human human s1
by    f | form form new`},
	{"a line is wrapped by one who adds a word", `
s1    f | report(alpha, beta)
human f | report(alpha, | beta, gamma)
=     f | modified human
by    f | new new`},
	{"a line of another base, above those of the version before", `
base  f | first old line
s1    f | written by one | first old line
s2    f (from 1) | first old line | written by two
human f (other 2) | written by one | first old line | written by two
=     f | s1 base s2
by    f | other order order`},
	{"lines of another base in another order", `
base  f | first old line
s1    f | first old line | one of one | two of one
s2    f (from 1) | first old line | written by two
human f (other 2) | first old line | written by two | two of one | one of one
=     f | base s2 s1 s1
by    f | order order other back`},
	{"a line that another base has twice is new", `
base  f | first old line
s1    f | first old line | by one | by one
s2    f (from 1) | first old line | written by two
human f (other 2) | first old line | written by two | by one
=     f | base s2 human
by    f | order order new`},
	{"the first of two other bases says whose a line is", `
base  f | first old line
s1    f | first old line | alike of both | only of one
s3    f (from 1) | first old line | alike of both | only of three
s2    f (from 1) | first old line | written by two
human f (other 2) (other 3) | first old line | written by two | alike of both
=     f | base s2 s1
by    f | order order other`},
	{"a brace of another base comes with its line", `
base  f | first old line
s1    f | first old line | if theFirst { | }
s2    f (from 1) | first old line | written by two
human f (other 2) | first old line | written by two | by hand here | if theFirst { | }
=     f | base s2 human s1 s1
by    f | order order new other other`},
	{"an equal version as another base changes nothing", `
base  f | first old line
s1    f | first old line | written by one
human f (other 2) | first old line | written by one | by hand
=     f | base s1 human
by    f | order order new`},
	{"a line of a side, below the human's", `
base  f | first old line
s1    f | first old line | ab
s2    f (from 1) | first old line | written by two
human f (side 2) | first old line | written by two | by hand here | ab
=     f | base s2 human s1
by    f | order order new side`},
	{"the first side that has a line says whose it is", `
base  f | first old line
s1    f | first old line | ab
s3    f (from 1) | first old line | ab | cd
s2    f (from 1) | first old line | written by two
human f (side 2) (side 3) | first old line | written by two | ab | cd
=     f | base s2 s1 s3
by    f | order order side side`},
	{"a brace of a side is new", `
base  f | first old line
s1    f | first old line | }
s2    f (from 1) | first old line | written by two
human f (side 2) | first old line | written by two | by hand here | }
=     f | base s2 human human
by    f | order order new new`},
	{"a brace beside a line of a side", `
base  f | first old line
s1    f | first old line | ab
s2    f (from 1) | first old line | written by two
human f (side 2) | first old line | written by two | ab | }
=     f | base s2 s1 s1
by    f | order order side beside`},
	{"lines of a side in another order", `
base  f | first old line
s1    f | first old line | ab | cd
s2    f (from 1) | first old line | written by two
human f (side 2) | first old line | written by two | cd | ab
=     f | base s2 s1 s1
by    f | order order side side`},
	{"a line that a second side has more often", `
base  f | first old line
s1    f | first old line | ab
s3    f (from 1) | first old line | ab | ab | xy
s2    f (from 1) | first old line | written by two
human f (side 2) (side 3) | first old line | written by two | ab | ab
=     f | base s2 s1 s3
by    f | order order side side`},
	{"the likest of two files under another name", `
s1    f | one of one | two of one | three of one
s2    h | one of one | two of one | three of one | four of two
human g (gone f) (gone h) | one of one | two of one | three of one | four of two
=     g | s2 s2 s2 s2
by    g | order order order order`},
	{"the very file under another name, though another is like it", `
s1    f | one of one | two of one
s2    h | one of one | two of one | three of two
human g (gone h) (gone f) | one of one | two of one
=     g | s1 s1
by    g | order order`},
	{"a file of braces under another name is new", `
s1    f | { | { | }
human g (gone f) | { | } | }
=     g | human human human
by    g | new new new`},
	{"a file under another name with other white space", `
s1    f | one of one | two of one
human g (gone f) | 	one of one | 	two of one
=     g | s1 s1
by    g | order order`},
	{"exactly half of a file under another name", `
s1    f | one of one | two of one
human g (gone f) | one of one | by hand here
=     g | s1 modified
by    g | order new`},
	{"a line that stands in the old file more often", `
s1    f | one of one | one of one | one of one
human g (gone f) | one of one | by hand here
=     g | human human
by    g | new new`},
	{"a block is moved above the lines of a file", `
s1    f | keep this line | one of one | two of one | three of one
base  g | old line of g
human f | keep this line
human g | one of one | two of one | three of one | old line of g
=     g | s1 s1 s1 base
by    g | moved moved moved order`},
	{"a block is moved in two parts", `
s1    f | keep this line | one of one | two of one | three of one
base  g | old line of g
human f | keep this line
human g | one of one | old line of g | two of one | three of one
=     g | s1 base s1 s1
by    g | moved order moved moved`},
	{"a block is moved to a new file", `
s1    f | keep this line | one of one | two of one | three of one
human f | keep this line
human g | one of one | two of one | three of one
=     g | s1 s1 s1
by    g | moved moved moved`},
	{"a block is moved, with one of the human's in between", `
s1    f | keep this line | one of one | two of one | three of one
base  g | old line of g
human f | keep this line
human g | old line of g | one of one | by hand here | two of one | three of one
=     g | base s1 human s1 s1
by    g | order moved new moved moved`},
	{"a block of two owners is moved", `
s1    f | keep this line | one of one | two of one
s2    f | keep this line | one of one | two of one | one of two
base  g | old line of g
human f | keep this line
human g | old line of g | one of one | two of one | one of two
=     g | base s1 s1 s2
by    g | order moved moved moved`},
	{"a block is moved from the file that had it last", `
s1    f | keep this line | one of one | two of one | three of one
base  g | old line of g
human f | keep this line | one of one
human g | old line of g | one of one | two of one | three of one
=     g | base human s1 s1
by    g | order new moved moved`},
	{"a block that two files had is moved as three lines", `
s1    f | keep this line | one of one | two of one | three of one
s2    h | one of one | two of one | three of one
base  g | old line of g
human f | keep this line
human g | old line of g | one of one | two of one | three of one
=     g | base s1 s1 s1
by    g | order moved moved moved`},
	{"a line of a renamed file is moved: that is one file", `
s1    f | keep this line | keep that line | ab cd ef
base  h | old line of h
human g (gone f) | keep this line | keep that line | ab cd ef
human g | keep this line | keep that line
human h | old line of h | ab cd ef
=     h | base s1
by    h | order moved`},
	{"a line of a copied file is new: these are two", `
s1    f | keep this line | keep that line | ab cd ef
base  h | old line of h
s2    g | keep this line | keep that line | ab cd ef
s2    g | keep this line | keep that line
human f | keep this line | keep that line
human h | old line of h | ab cd ef
=     h | base human
by    h | order new`},
	{"a line that is moved to two places of a file is new", `
s1    f | keep this line | ab cd ef
base  g | old line of g
human f | keep this line
human g | old line of g | ab cd ef | by hand here | ab cd ef
=     g | base human human human
by    g | order new new new`},
	{"a moved line with another form is new", `
s1    f | keep this line | const name = 'parser'
base  g | old line of g
human f | keep this line
human g | old line of g | const name = "parser";
=     g | base human
by    g | order new`},
	{"a turn moves a block of another one", `
s1    f | keep this line | one of one | two of one | three of one
base  g | old line of g
s2    f | keep this line
s2    g | old line of g | one of one | two of one | three of one | one of two
=     g | base s1 s1 s1 s2
by    g | order moved moved moved new`},
	{"a moved block comes back", `
s1    f | keep this line | one of one | two of one | three of one
base  g | old line of g
human f | keep this line
human g | old line of g | one of one | two of one | three of one
human f | keep this line | by hand here | one of one | two of one | three of one
=     f | s1 human s1 s1 s1
by    f | order new back back back`},
	{"short lines beside a brace are moved with it", `
s1    f | keep this line | one | two | } | six
base  g | old line of g
human f | keep this line
human g | old line of g | one | two | } | six
=     g | base s1 s1 s1 s1
by    g | order moved moved moved moved`},
}
