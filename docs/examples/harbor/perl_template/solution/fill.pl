use strict;
my %v;
while (<STDIN>) { chomp; last if $_ eq ""; my ($k, $x) = split /=/, $_, 2; $v{$k} = $x }
local $/;
my $t = <STDIN> // "";
$t =~ s/\{\{\s*(\w+)\s*(?:\|([^}]*))?\}\}/exists $v{$1} ? $v{$1} : defined $2 ? $2 : $&/ge;
print $t;
