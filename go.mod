module entire-plumb

go 1.26
