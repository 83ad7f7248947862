use strict;
my (%a, %b, $second);
while (<STDIN>) { chomp; if ($_ eq '--') { $second = 1; next } next if $_ eq ''; $second ? $b{$_}++ : $a{$_}++ }
for (sort keys %{{%a, %b}}) { print "-$_\n" if !$b{$_}; print "+$_\n" if !$a{$_} }
