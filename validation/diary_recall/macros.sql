-- first_different_line(a, b): the number of the first line in which two texts, split into lines, differ.
create temp macro first_different_line(a, b) as
list_filter(
    range(1, greatest(coalesce(len(a), 0), coalesce(len(b), 0)) + 1), lambda line: a[line] is distinct from b[line]
)[1];

-- title_start(text): the first title of a text without its number, such as "Ann Lee's Diary Entry ".
create temp macro title_start(text) as rtrim(split_part(text, chr(10), 1), '0123456789')
