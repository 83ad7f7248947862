use strict;
while (<STDIN>) {
  chomp;
  my ($n, @p) = ($_);
  for (['d', 86400], ['h', 3600], ['m', 60], ['s', 1]) { my $q = int($n / $_->[1]); push @p, "$q$_->[0]" if $q; $n %= $_->[1] }
  print @p ? "@p" : '0s', "\n";
}
