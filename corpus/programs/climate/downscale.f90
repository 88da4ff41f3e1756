! Downscaling of precipitation by a linear model per grid point, the way
! climate groups write it: one source, one case a run.
program downscale
  implicit none
  integer, parameter :: n = 64
  real(8) :: rain(n), wind(n), slope
  character(len=32) :: what
  integer :: i
  call get_command_argument(1, what)
  call random_seed(size=i)
  rain = [(sin(0.1d0 * i), i = 1, n)]
  wind = [(0.5d0 * sin(0.1d0 * i) + 0.01d0 * mod(i, 7), i = 1, n)]
  slope = 0
  print '(a,a)', ' DOWNSCALE v2.4   case: ', trim(what)
  do i = 1, 200
    slope = slope + 0.01d0 * sum(rain * (wind - slope * rain)) / n * 8
    if (mod(i, 50) == 0) print '(a,i5,a,es12.5,a,f8.5)', &
      ' iter', i, '  residual', sum((wind - slope * rain)**2), '  slope', slope
  end do
  select case (what)
  case ('forcing')
    call forcing('forcing_1998.dat')
  case ('halo')
    call halo(rain, n)
  case ('station')
    call station()
  case default
    call ensemble()
  end select
  print '(a)', ' DOWNSCALE finished normally'
contains

  subroutine forcing(name)
    character(len=*), intent(in) :: name
    open (unit=12, file='input/'//name, status='old', action='read')
    read (12, *) slope
  end subroutine

  subroutine halo(field, width)
    integer, intent(in) :: width
    real(8), intent(in) :: field(:)
    real(8) :: total
    integer :: k
    total = 0
    do k = 1, width
      total = total + field(k) * field(k + 1)
    end do
    print '(a,f9.4)', ' halo sum', total
  end subroutine

  subroutine station()
    real(8) :: value(3)
    open (unit=14, file='station_de_0417.txt', status='replace')
    write (14, '(a)') '  51.2  13.7  214.0', '  51.3  13.9  2l8.5'
    rewind (14)
    read (14, *) value
    print '(a,3f8.2)', ' station', value
    read (14, *) value
    print '(a,3f8.2)', ' station', value
  end subroutine

  subroutine ensemble()
    real(8), allocatable :: members(:, :, :)
    print '(a)', ' ensemble of 512 members on 2048 x 1024'
    allocate (members(2048, 1024, 512))
    members = 0
    print *, sum(members)
  end subroutine
end program
