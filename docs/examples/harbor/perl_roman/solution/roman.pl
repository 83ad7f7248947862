use strict;
my @of = ([1000, "M"], [900, "CM"], [500, "D"], [400, "CD"], [100, "C"], [90, "XC"], [50, "L"], [40, "XL"], [10, "X"], [9, "IX"], [5, "V"], [4, "IV"], [1, "I"]);
sub roman { my ($n, $out) = (shift, ""); for (@of) { while ($n >= $_->[0]) { $out .= $_->[1]; $n -= $_->[0] } } $out }
my %back = map { roman($_) => $_ } 1 .. 3999;
while (<STDIN>) {
  chomp;
  if (/^\d+$/) { print $_ > 0 && $_ < 4000 ? roman($_) : "invalid", "\n" }
  else { print $back{$_} // "invalid", "\n" }
}
